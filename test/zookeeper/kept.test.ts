/** How a client hears of others that want a lock which it keeps (rule W9). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptByProcesses } from '../kept/processes.cases.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { Wire } from '../wire/wire.js'
import { Scene } from './scene.js'

const scene = new Scene()
let server: ZooKeeperServer
beforeAll(async () => {
  server = await ZooKeeperServer.start({ settings: { maxSessionTimeout: 2 ** 31 - 1 } })
})
afterAll(() => server?.stop())

/** A lock that its process keeps, with nobody inside, until after the end of any test. */
async function kept(name: string, address = server.address) {
  const holdfast = scene.holdfast(address, { watchdogMs: 240_000, lingerMs: 240_000 })
  const lock = holdfast.lock(name)
  await (await lock.acquire()).release()
  expect(await lock.inspect()).toMatchObject({ lingering: true })
  return { holdfast, lock }
}

test('W9: a connection that breaks may have kept a question from it: it lets go', async () => {
  const [, port = ''] = server.address.split(':')
  const wire = scene.keep(await Wire.before({ host: '127.0.0.1', port: Number(port) }))
  const { holdfast } = await kept('broken', `127.0.0.1:${wire.port}`)
  wire.breakAll()
  await until(() => holdfast.census.tenures === 0, { what: 'the lock is free' })
})

keptByProcesses({
  at: () => ({ to: 'zookeeper', servers: [server.address], root: '/kept' }),
  server: () => ({ host: '127.0.0.1', port: Number(server.address.split(':')[1]) }),
  over: ({ host, port }) => ({ to: 'zookeeper', servers: [`${host}:${port}`], root: '/kept' }),
})
