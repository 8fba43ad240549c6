import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { toldCases } from '../session/told.cases.js'

toldCases({
  store: 'ZooKeeper',
  start: () => ZooKeeperServer.start({ settings: { maxSessionTimeout: 2 ** 31 - 1 } }),
  address: (port) => `127.0.0.1:${port}`,
  storeAt: (servers) => zookeeper({ servers }),
})
