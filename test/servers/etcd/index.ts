export { EtcdEnsemble } from './ensemble.js'
export { EtcdServer } from './server.js'
