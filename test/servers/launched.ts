import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launcher, Way } from './launch.js'
import { answersPing, freePort } from './port.js'
import type { Server } from './server.js'
import { folderWith, ServerProgram, started } from './server-program.js'

export interface Plan {
  readonly way: Way
  /** Written as on the command line, `['--maxmemory', '1mb']`; they win over the defaults. */
  readonly args?: readonly string[]
  /** Files to lay into its folder before it starts; arguments name them as they are named here. */
  readonly files?: Readonly<Record<string, string>>
  readonly port?: number
  /** The configuration file that makes it a sentinel instead of a server of data. */
  readonly sentinel?: string
}

const LOG = 'server.log'
const DATA = ['dump.rdb', 'appendonlydir']
// A save point that is never reached, but has SIGTERM save.
const DEFAULTS = ['--save', '86400 1', '--repl-diskless-sync-delay', '0', '--daemonize', 'no']

export class LaunchedServer extends ServerProgram<Plan> implements Server {
  readonly how = this.order.way.how
  protected readonly title = `${this.how} server`
  version = ''

  static async start(plan: Plan): Promise<LaunchedServer> {
    for (let attempt = 1; ; attempt += 1) {
      const guard = await folderWith(plan.files ?? {})
      const port = plan.port ?? (await freePort())
      try {
        return await started(new LaunchedServer(guard, port, plan))
      } catch (error) {
        // Between our look at the port and the server's, another process may have taken it.
        const taken = error instanceof Error && error.message.includes('ddress already in use')
        if (!taken || plan.port !== undefined || attempt === 5) throw error
      }
    }
  }

  get url(): string {
    return `redis://${this.address}`
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.end(keepData ? 'SIGTERM' : 'SIGKILL')
    if (!keepData) await this.#remove(...DATA)
    await this.start()
  }

  override async launch(): Promise<void> {
    await this.#remove(LOG)
    await super.launch()
  }

  protected launcher(): Launcher {
    return this.order.way.launcher
  }

  protected args(): string[] {
    const { way, args = [], sentinel } = this.order
    return [
      ...(sentinel === undefined ? [] : [sentinel]),
      ...['--port', String(this.port), '--logfile', LOG, ...way.launcher.listening],
      ...(sentinel === undefined ? DEFAULTS : ['--sentinel']),
      ...args,
    ]
  }

  protected async answers(): Promise<boolean> {
    const log = await this.log()
    this.version = /(?:Redis|Valkey) version=[\d.]+/.exec(log)?.[0].replace(' version=', ' ') ?? ''
    // Not by the answer alone: it might come from another process that has the port.
    const ready = this.order.sentinel === undefined ? 'Ready to accept connections' : 'Sentinel ID is'
    return log.includes(ready) && (await answersPing(this.host, this.port))
  }

  protected override async log(): Promise<string> {
    return await readFile(join(this.guard.dir, LOG), 'utf8').catch(() => '')
  }

  async #remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.guard.dir, name), { recursive: true, force: true })
  }
}
