/** How a client hears of others that want a lock which it keeps (rule W9). */
import { expect, test } from 'vitest'
import { keptByProcesses } from '../kept/processes.cases.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { Wire } from '../wire/wire.js'
import { Scene } from './scene.js'

const scene = new Scene()
const server = duringAll(() => ZooKeeperServer.start({ settings: { maxSessionTimeout: 2 ** 31 - 1 } }))

test('W9: a connection that breaks may have kept a question from it: it lets go', async () => {
  const wire = scene.keep(await Wire.before(server))
  // Beyond the end of any test.
  const holdfast = scene.holdfast(wire.address, { watchdogMs: 240_000, lingerMs: 240_000 })
  const lock = holdfast.lock('broken')
  await lock.withLock(() => undefined)
  expect(await lock.inspect()).toMatchObject({ lingering: true })
  wire.breakAll()
  await until(() => holdfast.census.tenures === 0, { what: 'the lock is free' })
})

keptByProcesses({
  at: () => ({ to: 'zookeeper', servers: [server.address], root: '/kept' }),
  server: () => ({ host: server.host, port: server.port }),
  over: ({ host, port }) => ({ to: 'zookeeper', servers: [`${host}:${port}`], root: '/kept' }),
})
