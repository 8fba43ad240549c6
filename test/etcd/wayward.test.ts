/** Servers that no etcd is: what they do costs neither more time than a command has, nor connections without end. */
import { once } from 'node:events'
import { createServer } from 'node:http2'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { ClosedError, Holdfast } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { listen } from '../servers/port.js'
import { standIn } from '../servers/stand-in.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, clientOf, linkTo } from './scene.js'

const about = { command: 'test' }

test('C3: one that greets and sends everybody away is asked again with pauses, and no longer than the command takes', async () => {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const goAway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  let connections = 0
  const server = await standIn((socket) => {
    connections += 1
    socket.once('data', () => socket.write(Buffer.concat([settings, goAway])))
  })
  onTestFinished(() => server.stop())
  const { client } = clientOf([{ url: `http://${server.address}` }], { timeoutMs: 500 })
  expect(await rejectionOf(client.range({ key: Buffer.from('a') }, about))).toMatchObject({ transient: true })
  const during = connections
  // It has had the time to connect as often as this does.
  for (let other = 0; other < 20; other += 1) {
    const socket = connect(server.port, server.host, () => socket.write('hello'))
    await once(socket, 'data')
    socket.destroy()
  }
  // One may have been on its way.
  expect(connections - 20).toBeLessThanOrEqual(during + 1)
  expect(during).toBeLessThan(40)
})

test('H4: those who stand in line at once at a silent server are all answered within the time of one command', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  const asked = new Promise((resolve) => server.once('stream', resolve))
  const clock = new VirtualClock()
  const schedule = new Schedule(clock, (error) => {
    throw error
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const { link, key } = linkTo([{ url }], { schedule, commandTimeoutMs: 1_000 })
  const lock = anyLock()
  const failures: unknown[] = []
  for (let call = 0; call < 6; call += 1) {
    const request = { lock, session: '1', key: key(), mode: 'lock', ifFree: true } as const
    void rejectionOf(link.stand(request)).then((failure) => failures.push(failure))
    if (call === 0) await asked
    await clock.advance(10)
  }
  await clock.advance(1_000)
  expect(failures).toHaveLength(6)
  for (const failure of failures) expect(failure).toMatchObject({ reason: 'timeout', transient: true })
})

test('H5: closing ends a connection that is still being opened, and rejects who waits for it', async () => {
  const server = await standIn((socket) => socket.resume())
  onTestFinished(() => server.stop())
  const holdfast = new Holdfast(etcd({ hosts: server.address }))
  const asked = rejectionOf(holdfast.lock('name').isLocked())
  await eventually(() => server.open.size === 1)
  await holdfast.close()
  expect(await asked).toBeInstanceOf(ClosedError)
  await eventually(() => server.open.size === 0)
})
