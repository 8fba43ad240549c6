import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { memcached, memcachedTraits } from '../../src/stores/memcached/store.js'
import { MemcachedServer } from '../servers/memcached.js'

let server: MemcachedServer
beforeAll(async () => {
  server = await MemcachedServer.start()
})
afterAll(() => server?.stop())

conformance({
  name: 'memcached',
  open: () => memcached({ servers: [server.address] }),
  traits: memcachedTraits,
})
