import { Daemon } from '../daemon.js'
import { etcdProgram } from './programs.js'
import type { EtcdServer } from './server.js'

export const EtcdProxy = {
  async before({ url }: EtcdServer): Promise<Daemon> {
    const command = await etcdProgram('etcd')
    const flags = ['grpc-proxy', 'start', '--endpoints', url, '--listen-addr']
    return await Daemon.start({ command, args: (port) => [...flags, `127.0.0.1:${port}`] })
  },
}
