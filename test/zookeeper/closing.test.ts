/** A client that is closed while a server keeps it waiting. */
import { expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { eventually } from '../setup/eventually.js'
import { HostileServer, type Manners, NOTHING, welcome } from './hostile.js'
import { Scene } from './scene.js'

const scene = new Scene()

/** A server that welcomes so many connections, and says nothing else, and a client's lock there. */
async function muteServer(welcomes: number) {
  let left = welcomes
  const manners: Manners = { welcome: () => (left-- > 0 ? welcome(60_000) : NOTHING), answer: () => NOTHING }
  const server = scene.keep(await HostileServer.start(manners))
  const holdfast = new Holdfast(zookeeper({ servers: server.address }))
  return { server, holdfast, lock: holdfast.lock('name') }
}

test('H5: closing ends a session that is being begun, and rejects who waits for it', async () => {
  const { server, holdfast, lock } = await muteServer(0)
  const asked = [lock.isLocked(), lock.forceUnlock(), lock.tryAcquire()].map((call) => rejectionOf(call))
  await eventually(() => server.open === 1)
  await holdfast.close({ timeoutMs: 0 })
  for (const each of asked) expect(await each).toMatchObject({ name: expect.stringMatching(/Error$/) })
  await eventually(() => server.open === 0)
})

test('H5: closing ends a connection by which a session was to go on', async () => {
  const { server, holdfast, lock } = await muteServer(1)
  const asked = rejectionOf(lock.isLocked())
  await eventually(() => server.requests > 0)
  server.breakAll()
  await asked
  const again = rejectionOf(lock.isLocked())
  await eventually(() => server.seen.length > 1)
  await holdfast.close()
  await again
  await eventually(() => server.open === 0)
})
