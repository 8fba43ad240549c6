/** A client that is closed while a server keeps it waiting. */
import { expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { type StandIn, standIn } from '../servers/stand-in.js'
import { eventually } from '../setup/eventually.js'

interface MuteServer extends StandIn {
  /** How often it was told something that it has not answered. */
  readonly unanswered: number
}

/** Welcomes so many connections, and says nothing else. */
async function server(welcomes: number): Promise<MuteServer> {
  let left = welcomes
  let unanswered = 0
  const mute = await standIn((socket) => {
    socket.on('data', () => {
      if (left === 0) unanswered += 1
      else socket.write(welcome())
      left = Math.max(left - 1, 0)
    })
  })
  onTestFinished(() => mute.stop())
  return {
    ...mute,
    get unanswered() {
      return unanswered
    },
  }
}

function welcome(): Buffer {
  const frame = Buffer.alloc(41)
  frame.writeInt32BE(37)
  frame.writeInt32BE(60_000, 8)
  frame.writeBigInt64BE(1n, 12)
  frame.writeInt32BE(16, 20)
  return frame
}

test('H5: closing ends a session that is being begun, and rejects who waits for it', async () => {
  const { open, address } = await server(0)
  const holdfast = new Holdfast(zookeeper({ servers: address }))
  const lock = holdfast.lock('name')
  const asked = [
    rejectionOf(lock.isLocked()),
    rejectionOf(lock.forceUnlock()),
    rejectionOf(lock.tryAcquire()),
  ]
  await eventually(() => open.size === 1)
  await holdfast.close({ timeoutMs: 0 })
  for (const each of asked) expect(await each).toMatchObject({ name: expect.stringMatching(/Error$/) })
  await eventually(() => open.size === 0)
})

test('H5: closing ends a connection by which a session was to go on', async () => {
  const mute = await server(1)
  const holdfast = new Holdfast(zookeeper({ servers: mute.address }))
  const asked = rejectionOf(holdfast.lock('name').isLocked())
  await eventually(() => mute.unanswered === 1)
  for (const socket of mute.open) socket.destroy()
  await asked
  const again = rejectionOf(holdfast.lock('name').isLocked())
  await eventually(() => mute.unanswered === 2)
  await holdfast.close()
  await again
  await eventually(() => mute.open.size === 0)
})
