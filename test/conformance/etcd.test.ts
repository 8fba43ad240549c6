import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { sessionTraits } from '../../src/stores/session/session.js'
import { EtcdServer } from '../servers/etcd/index.js'

let server: EtcdServer
beforeAll(async () => {
  server = await EtcdServer.start()
})
afterAll(() => server?.stop())

conformance({
  name: 'etcd',
  open: () => etcd({ hosts: server.url }),
  traits: sessionTraits,
})
