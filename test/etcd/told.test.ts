import { etcd } from '../../src/stores/etcd/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { toldCases } from '../session/told.cases.js'

toldCases({
  store: 'etcd',
  start: () => EtcdServer.start(),
  address: (port) => `http://127.0.0.1:${port}`,
  storeAt: (hosts) => etcd({ hosts }),
})
