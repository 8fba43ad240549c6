export { EtcdEnsemble } from './ensemble.js'
export { EtcdProxy } from './proxy.js'
export { EtcdServer } from './server.js'
