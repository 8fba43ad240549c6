/** Who loses its session learns of it before anybody else has its lock, in every run. */
import { afterAll, beforeAll, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { Wire } from '../chaos/network/wire.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { expectTold } from '../session/told.js'

let server: ZooKeeperServer
let observer: Holdfast
beforeAll(async () => {
  server = await ZooKeeperServer.start()
  observer = new Holdfast(zookeeper({ servers: server.address }))
})
afterAll(async () => {
  await observer?.close()
  await server?.stop()
})

test('L3, S2: processes that are stopped past their sessions, in 20 of 20 runs', async () => {
  await expectTold({
    store: 'ZooKeeper',
    servers: [server.address],
    observer,
    end: (holders) => holders.pause(),
    goOn: (holders) => holders.resume(),
    runs: false,
  })
}, 60_000)

test('L3, S1: processes that are cut off from the server, in 20 of 20 runs', async () => {
  const wire = await Wire.before(server)
  try {
    await expectTold({
      store: 'ZooKeeper',
      servers: [`${wire.host}:${wire.port}`],
      observer,
      end: () => wire.silence('up', 'down'),
      goOn: () => wire.heal('lost'),
      runs: true,
    })
  } finally {
    wire.stop()
  }
}, 60_000)
