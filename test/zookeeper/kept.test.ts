/** How a client hears of others that want a lock which it keeps (rule W9). */
import { keptByProcesses } from '../kept/processes.cases.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'

const server = duringAll(() => ZooKeeperServer.start({ settings: { maxSessionTimeout: 2 ** 31 - 1 } }))

keptByProcesses({
  at: () => ({ to: 'zookeeper', servers: [server.address], root: '/kept' }),
  server: () => ({ host: server.host, port: server.port }),
  over: ({ host, port }) => ({ to: 'zookeeper', servers: [`${host}:${port}`], root: '/kept' }),
})
