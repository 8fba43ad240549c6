import process from 'node:process'
import { unpackFromDebian } from './debian.js'
import type { Launcher } from './launch.js'
import { onPath } from './path.js'
import { accepts, freePort } from './port.js'
import { type Command, processLauncher } from './process.js'
import { folderWith, ServerProgram, started } from './server-program.js'
import type { Certificate } from './sql/product.js'

export interface MemcachedOrder {
  readonly args?: readonly string[]
  readonly tls?: Certificate
  /** Who may come, as `user:password`; others are refused. */
  readonly users?: readonly string[]
  /** The Debian release whose memcached is taken. Default: what is on PATH, else that of `bookworm`. */
  readonly suite?: string
}

/** One memcached. It keeps nothing when it ends. */
export class MemcachedServer extends ServerProgram<MemcachedOrder> {
  readonly title = 'memcached'

  static async start(order: MemcachedOrder = {}): Promise<MemcachedServer> {
    const { tls, users } = order
    const guard = await folderWith({
      ...(tls && { 'cert.pem': tls.cert, 'key.pem': tls.key }),
      ...(users && { users: users.map((user) => `${user}\n`).join('') }),
    })
    return await started(new MemcachedServer(guard, await freePort(), order))
  }

  /** Ends it, and starts it anew on the same port, empty. Resolves when it listens. */
  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  protected async launcher(): Promise<Launcher> {
    return processLauncher(await memcachedProgram(this.order.suite))
  }

  protected args(): readonly string[] {
    const { args = [], tls, users } = this.order
    return [
      ...['-l', this.host, '-p', String(this.port), '-U', '0', '-m', '64', '-t', '2'],
      ...(process.getuid?.() === 0 ? ['-u', 'root'] : []),
      ...(tls ? ['-Z', '-o', 'ssl_chain_cert=cert.pem,ssl_key=key.pem'] : []),
      ...(users ? ['-Y', 'users'] : []),
      ...args,
    ]
  }

  protected answers(): Promise<boolean> {
    return accepts(this.port)
  }
}

/** How to run it: what is on PATH, else Debian's, the oldest which Holdfast is tested with. Rejects if it cannot be had. */
async function memcachedProgram(suite: string | undefined): Promise<Command> {
  const path = suite === undefined ? await onPath('memcached') : undefined
  if (path !== undefined) return [path]
  const release = { name: `memcached-${suite ?? 'bookworm'}`, suite: suite ?? 'bookworm' }
  const wanted = { ...release, package: 'memcached', program: 'usr/bin/memcached' }
  return (await unpackFromDebian(wanted)).command
}
