export { ZooKeeperEnsemble } from './ensemble.js'
export { ZooKeeperServer } from './server.js'
