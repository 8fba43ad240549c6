import { Guard } from '../guard.js'
import { freePort } from '../port.js'
import { processLauncher } from '../process.js'
import { until } from '../until.js'
import { etcdProgram } from './programs.js'
import type { EtcdServer } from './server.js'

/** etcd's own proxy before one of its servers. */
export class EtcdProxy {
  private constructor(
    private readonly guard: Guard,
    readonly url: string,
  ) {}

  /** Resolves when it serves. */
  static async before(server: EtcdServer): Promise<EtcdProxy> {
    const guard = await Guard.mount()
    const port = await freePort()
    const args = ['grpc-proxy', 'start', '--endpoints', server.url, '--listen-addr', `127.0.0.1:${port}`]
    const launcher = processLauncher(await etcdProgram('etcd'))
    const running = await launcher.launch({ args, dir: guard.dir, port, undo: (shell) => guard.undo(shell) })
    const url = `http://127.0.0.1:${port}`
    await until(
      async () => {
        const words = await running.lastWords()
        if (words !== undefined) throw new Error(`the proxy ended:\n${words}`)
        return (await fetch(`${url}/health`).catch(() => undefined))?.ok
      },
      { what: `etcd's proxy serves at ${url}`, everyMs: 50 },
    )
    return new EtcdProxy(guard, url)
  }

  async stop(): Promise<void> {
    await this.guard.dismiss()
  }
}
