import { Guard } from '../guard.js'
import type { Launcher } from '../launch.js'
import { freePort } from '../port.js'
import { processLauncher } from '../process.js'
import { ServerProgram, started } from '../server-program.js'
import { etcdProgram } from './programs.js'
import type { EtcdServer } from './server.js'

export class EtcdProxy extends ServerProgram<EtcdServer> {
  readonly title = "etcd's proxy"

  static async before(server: EtcdServer): Promise<EtcdProxy> {
    return await started(new EtcdProxy(await Guard.mount(), await freePort(), server))
  }

  get url(): string {
    return `http://${this.address}`
  }

  protected async launcher(): Promise<Launcher> {
    return processLauncher(await etcdProgram('etcd'))
  }

  protected args(): readonly string[] {
    return ['grpc-proxy', 'start', '--endpoints', this.order.url, '--listen-addr', this.address]
  }

  protected async answers(): Promise<boolean> {
    return (await fetch(`${this.url}/health`)).ok
  }
}
