import { conformance } from '../../src/conformance/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { sessionTraits } from '../../src/stores/session/session.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'

const server = duringAll(() => EtcdServer.start())
conformance({ name: 'etcd', open: () => etcd({ hosts: server.url }), traits: sessionTraits })
