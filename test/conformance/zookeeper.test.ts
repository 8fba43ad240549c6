import { conformance } from '../../src/conformance/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'

// Leases of any length are asked for; a session that ends in the middle of a request is for other tests.
const settings = { minSessionTimeout: 500, maxSessionTimeout: 2 ** 31 - 1 }
const server = duringAll(() => ZooKeeperServer.start({ settings }))
const { traits } = zookeeper({ servers: 'any' })
conformance({ name: 'ZooKeeper', open: () => zookeeper({ servers: server.address }), traits })
