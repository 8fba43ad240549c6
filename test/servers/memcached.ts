import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { unpackFromDebian } from './debian.js'
import { Guard } from './guard.js'
import type { Running } from './launch.js'
import { onPath } from './path.js'
import { freePort } from './port.js'
import { type Command, processLauncher } from './process.js'
import type { Certificate } from './sql/certificate.js'
import { standsStill } from './stands-still.js'
import { Impossible, until } from './until.js'

export interface MemcachedOrder {
  /** Further arguments, as on the command line; they win over the defaults. */
  readonly args?: readonly string[]
  /** Speaks TLS only. */
  readonly tls?: Certificate
  /** Who may come, as `user:password`; others are refused. */
  readonly users?: readonly string[]
  /** The Debian release whose memcached is taken. Default: what is on PATH, else that of `bookworm`. */
  readonly suite?: string
}

/** One memcached, which lives no longer than this process. It keeps nothing when it ends. */
export class MemcachedServer {
  readonly host = '127.0.0.1'
  #running: Running | undefined

  private constructor(
    private readonly guard: Guard,
    readonly port: number,
    private readonly order: MemcachedOrder,
  ) {}

  /** Starts one; resolves when it listens. */
  static async start(order: MemcachedOrder = {}): Promise<MemcachedServer> {
    const guard = await Guard.mount()
    const server = new MemcachedServer(guard, await freePort(), order)
    try {
      const { tls, users } = order
      if (tls) await server.#write({ 'cert.pem': tls.cert, 'key.pem': tls.key })
      if (users) await server.#write({ users: users.map((user) => `${user}\n`).join('') })
      await server.#launch()
      return server
    } catch (error) {
      await guard.dismiss()
      throw error
    }
  }

  /** As option `servers` takes it. */
  get address(): string {
    return `${this.host}:${this.port}`
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  /** Makes it hang: connections stay open, nothing is answered. */
  async pause(): Promise<void> {
    await this.#running?.signal('SIGSTOP')
    const { pid } = this
    // The signal has been sent; threads that run at the moment go on until they hear it.
    if (pid !== undefined) await until(() => standsStill(pid), { what: 'memcached stands still' })
  }

  /** Ends a pause; what was sent meanwhile is then worked off. */
  async resume(): Promise<void> {
    await this.#running?.signal('SIGCONT')
  }

  async kill(): Promise<void> {
    const running = this.#running
    if (!running) return
    this.#running = undefined
    await running.signal('SIGKILL')
    await until(async () => (await running.lastWords()) !== undefined, { what: 'memcached has ended' })
    await running.discard()
  }

  /** Ends it, and starts it anew on the same port, empty. Resolves when it listens. */
  async restart(): Promise<void> {
    await this.kill()
    await this.#launch()
  }

  /** Ends it for good, and removes its folder. */
  stop(): Promise<void> {
    return this.guard.dismiss()
  }

  async #write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files))
      await writeFile(join(this.guard.dir, name), text, { mode: 0o600 })
  }

  async #launch(): Promise<void> {
    const { args = [], tls, users, suite } = this.order
    const running = await processLauncher(await memcachedProgram(suite)).launch({
      args: [
        ...['-l', this.host, '-p', String(this.port), '-U', '0', '-m', '64', '-t', '2'],
        ...(process.getuid?.() === 0 ? ['-u', 'root'] : []),
        ...(tls ? ['-Z', '-o', 'ssl_chain_cert=cert.pem,ssl_key=key.pem'] : []),
        ...(users ? ['-Y', 'users'] : []),
        ...args,
      ],
      dir: this.guard.dir,
      port: this.port,
      undo: (command) => this.guard.undo(command),
    })
    this.#running = running
    await until(
      async () => {
        const words = await running.lastWords()
        if (words !== undefined) throw new Impossible(`memcached ended at once:\n${words}`)
        return await this.#listens()
      },
      { what: `memcached listens at ${this.address}` },
    )
  }

  #listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, this.host)
      const settle = (listens: boolean): void => {
        socket.destroy()
        resolve(listens)
      }
      socket.once('connect', () => settle(true))
      socket.once('error', () => settle(false))
    })
  }
}

/** What Debian has that is the oldest which Holdfast is tested with. */
const OLDEST = 'bookworm'

/** How to run it: what is on PATH, else Debian's. Rejects if it cannot be had. */
async function memcachedProgram(suite: string | undefined): Promise<Command> {
  const path = suite === undefined ? await onPath('memcached') : undefined
  if (path !== undefined) return [path]
  const release = suite ?? OLDEST
  const wanted = {
    name: `memcached-${release}`,
    suite: release,
    package: 'memcached',
    program: 'usr/bin/memcached',
  }
  return (await unpackFromDebian(wanted)).command
}
