/** How a client hears of others that want a lock which it keeps (rule W9). */
import { connect } from 'node:net'
import { keptByProcesses } from '../kept/processes.cases.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { standIn } from '../servers/stand-in.js'
import { duringAll } from '../setup/during.js'

const server = duringAll(() => EtcdServer.start())
// A server may drop a request whose connection ends before it has begun with it: this one does not learn of that end.
const way = duringAll(() =>
  standIn((client) => {
    const there = connect(server.port, '127.0.0.1').on('error', () => undefined)
    client.pipe(there, { end: false })
    there.pipe(client)
  }),
)

keptByProcesses({
  at: () => ({ to: 'etcd', hosts: [`http://${way.address}`] }),
  server: () => ({ host: '127.0.0.1', port: server.port }),
  over: ({ host, port }) => ({ to: 'etcd', hosts: [`http://${host}:${port}`] }),
})
