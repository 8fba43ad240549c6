import { conformance } from '../../src/conformance/index.js'
import { memcached, memcachedTraits } from '../../src/stores/memcached/store.js'
import { MemcachedServer } from '../servers/memcached.js'
import { duringAll } from '../setup/during.js'

const server = duringAll(() => MemcachedServer.start())
const open = () => memcached({ servers: [server.address] })
conformance({ name: 'memcached', open, traits: memcachedTraits })
