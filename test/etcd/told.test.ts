/** Who loses its session learns of it before anybody else has its lock, in every run. */
import { afterAll, beforeAll, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { expectTold } from '../session/told.js'
import { wireTo } from './scene.js'

let server: EtcdServer
let observer: Holdfast
beforeAll(async () => {
  server = await EtcdServer.start()
  observer = new Holdfast(etcd({ hosts: server.url }))
})
afterAll(async () => {
  await observer?.close()
  await server?.stop()
})

test('L3, S2: processes that are stopped past their sessions, in 20 of 20 runs', async () => {
  await expectTold({
    store: 'etcd',
    servers: [server.url],
    observer,
    end: (holders) => holders.pause(),
    goOn: (holders) => holders.resume(),
    runs: false,
  })
}, 60_000)

test('L3, S1: processes that are cut off from the server, in 20 of 20 runs', async () => {
  const { wire, url } = await wireTo(server)
  try {
    await expectTold({
      store: 'etcd',
      servers: [url],
      observer,
      end: () => wire.silence('up', 'down'),
      goOn: () => wire.heal('lost'),
      runs: true,
    })
  } finally {
    wire.stop()
  }
}, 60_000)
