import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Guard } from './guard.js'
import type { How, Running, Way } from './launch.js'
import { answersPing } from './ping.js'
import { freePort } from './port.js'
import type { Server } from './server.js'
import { Impossible, until } from './until.js'

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

/** A server started here, which lives no longer than this process. */
export class LaunchedServer implements Server {
  readonly host = '127.0.0.1'
  readonly how: How
  readonly #plan: Plan
  readonly #guard: Guard
  #running: Running | undefined
  #version = ''

  private constructor(
    plan: Plan,
    guard: Guard,
    readonly port: number,
  ) {
    this.#plan = plan
    this.#guard = guard
    this.how = plan.way.how
  }

  static async start(plan: Plan): Promise<LaunchedServer> {
    for (let attempt = 1; ; attempt += 1) {
      const server = new LaunchedServer(plan, await Guard.mount(), plan.port ?? (await freePort()))
      try {
        for (const [name, content] of Object.entries(plan.files ?? {})) {
          const path = join(server.#guard.dir, name)
          await mkdir(dirname(path), { recursive: true })
          await writeFile(path, content)
        }
        await server.#launch()
        return server
      } catch (error) {
        await server.stop()
        // Between our look at the port and the server's, another process may have taken it.
        const taken = error instanceof Error && error.message.includes('ddress already in use')
        if (!taken || plan.port !== undefined || attempt === 5) throw error
      }
    }
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`
  }

  get version(): string {
    return this.#version
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  async pause(): Promise<void> {
    await this.#running?.signal('SIGSTOP')
  }

  async resume(): Promise<void> {
    await this.#running?.signal('SIGCONT')
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.#end(keepData ? 'SIGTERM' : 'SIGKILL')
    if (!keepData) {
      for (const name of DATA) await rm(join(this.#guard.dir, name), { recursive: true, force: true })
    }
    await this.#launch()
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL')
    await this.#guard.dismiss()
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    await running.signal(signal)
    // A process that is paused does not hear SIGTERM.
    await running.signal('SIGCONT')
    await until(async () => (await running.lastWords()) !== undefined, { what: `the end of ${this.url}` })
    await running.discard()
    this.#running = undefined
  }

  async #launch(): Promise<void> {
    const { way, args = [], sentinel } = this.#plan
    const { dir } = this.#guard
    await rm(join(dir, LOG), { force: true })
    const running = await way.launcher.launch({
      args: [
        ...(sentinel === undefined ? [] : [sentinel]),
        ...['--port', String(this.port), '--logfile', LOG, ...way.launcher.listening],
        ...(sentinel === undefined ? DEFAULTS : ['--sentinel']),
        ...args,
      ],
      dir,
      port: this.port,
      undo: (command) => this.#guard.undo(command),
    })
    this.#running = running
    await until(() => this.#isReady(running), { what: `${way.how} server answering at ${this.url}` })
  }

  async #isReady(running: Running): Promise<boolean> {
    const words = await running.lastWords()
    const log = await readFile(join(this.#guard.dir, LOG), 'utf8').catch(() => '')
    if (words !== undefined) throw new Impossible(`the server ended at once:\n${log}\n${words}`)
    this.#version = /(?:Redis|Valkey) version=[\d.]+/.exec(log)?.[0].replace(' version=', ' ') ?? ''
    // Not by the answer alone: it might come from another process that has the port.
    const logged = log.includes(
      this.#plan.sentinel === undefined ? 'Ready to accept connections' : 'Sentinel ID is',
    )
    return logged && (await answersPing(this.host, this.port))
  }
}
