import { chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { Guard } from '../guard.js'
import { run } from '../kept.js'
import type { Running } from '../launch.js'
import { freePort } from '../port.js'
import { launch, standsStill } from '../process.js'
import { Impossible, orUndo, until } from '../until.js'
import {
  account,
  type Certificate,
  type CertificateFiles,
  type Place,
  type Program,
  type Run,
  releaseOf,
  type SqlProduct,
} from './product.js'

export interface SqlAddress {
  readonly host: string
  readonly port: number
  /** The folder of its Unix socket; that of MySQL and MariaDB is called `socket`. */
  readonly dir: string
  readonly user: string
  readonly password: string
  readonly database: string
}

export interface SqlOrder {
  /** The server's settings by name, as in its configuration file; they win over the defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** Such as `18`. Default: that of the run, else whichever is at hand. */
  readonly release?: string | undefined
  readonly tls?: Certificate
}

/** A database server started here, on a data folder of its own: neither outlives this process. */
export class SqlServer {
  readonly address: SqlAddress
  #running: Running | undefined

  private constructor(
    private readonly product: SqlProduct,
    private readonly place: Place,
    private readonly guard: Guard,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    const { dir, port } = place
    this.address = { host: '127.0.0.1', port, dir, ...account }
  }

  /**
   * Starts one and resolves when it answers.
   *
   * @param setup what makes its data folder, where that is not the product's own way
   */
  static async start(
    product: SqlProduct,
    { settings = {}, release = releaseOf(product.name), tls }: SqlOrder = {},
    setup: (place: Place) => Promise<readonly Run[]> = (place) => product.setup(place),
  ): Promise<SqlServer> {
    const installed = await product.find(release)
    if (typeof installed === 'string') throw new Error(`no ${product.name} is to be had: ${installed}`)
    const guard = await Guard.mount()
    const { dir } = guard
    const dismiss = (): Promise<void> => guard.dismiss()
    return await orUndo(dismiss, async () => {
      const { identity } = installed
      if (identity) await chown(dir, identity.uid, identity.gid)
      const place = { installed, dir, port: await freePort() }
      const secured = tls ? await product.secure(place, await writeCertificate(place, tls)) : {}
      const server = new SqlServer(product, place, guard, { ...secured, ...settings })
      for (const each of await setup(server.place)) await server.#run(each)
      await server.start()
      return server
    })
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  /** Makes it hang, with all its processes: connections stay open, nothing is answered. */
  async pause(): Promise<void> {
    // The first process starts the others: once it stands, there are no more.
    await this.#running?.signal('SIGSTOP')
    const others = await this.#children()
    for (const pid of others) process.kill(pid, 'SIGSTOP')
    // The signal has been sent; threads that run at the moment go on until they hear it.
    const all = this.pid === undefined ? others : [this.pid, ...others]
    const what = `${this.product.name} stands still`
    await until(async () => (await Promise.all(all.map(standsStill))).every(Boolean), { what })
  }

  /** Ends a pause; what was sent meanwhile is then worked off. */
  async resume(): Promise<void> {
    for (const pid of await this.#children()) process.kill(pid, 'SIGCONT')
    await this.#running?.signal('SIGCONT')
  }

  async kill(): Promise<void> {
    const running = this.#running
    if (!running) return
    await this.pause()
    const others = await this.#children()
    this.#running = undefined
    await running.signal('SIGKILL')
    for (const pid of others) process.kill(pid, 'SIGKILL')
    const what = `all processes of ${this.product.name} have ended`
    await until(async () => (await running.lastWords()) !== undefined && !others.some(lives), { what })
  }

  /** Starts it again after `kill`, on the same port and data. Resolves when it answers. */
  async start(): Promise<void> {
    const { program, args } = this.product.serve(this.place, this.settings)
    const undo = (shell: string): void => this.guard.undo(shell)
    const running = await launch(program.command, { args, dir: this.place.dir, undo }, this.#options(program))
    this.#running = running
    undo(ending(running.pid))
    await until(
      async () => {
        const words = await running.lastWords()
        if (words !== undefined) throw new Impossible(words)
        await this.product.prepare(this.place)
        return true
      },
      { what: `${this.product.name} answers`, withinMs: 60_000 },
    )
  }

  stop(): Promise<void> {
    return this.guard.dismiss()
  }

  async #run({ program, args, input }: Run): Promise<void> {
    const [file, ...before] = program.command
    const running = run(file, [...before, ...args], { ...this.#options(program), maxBuffer: 2 ** 26 })
    running.child.stdin?.on('error', () => undefined)
    running.child.stdin?.end(input === undefined ? '' : await readFile(input))
    await running
  }

  #options({ environment }: Program) {
    const { dir, installed } = this.place
    const env = { ...process.env, HOME: dir, LC_ALL: 'C', ...environment }
    return { cwd: dir, env, ...installed.identity }
  }

  async #children(): Promise<number[]> {
    const { pid } = this
    if (pid === undefined) return []
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    return text.split(' ').filter(Boolean).map(Number)
  }
}

/** Puts them where the server finds them; servers refuse a key that others may read. */
async function writeCertificate(
  { dir, installed: { identity } }: Place,
  { key, cert }: Certificate,
): Promise<CertificateFiles> {
  const files = { keyFile: join(dir, 'key.pem'), certFile: join(dir, 'cert.pem') }
  for (const [file, text] of Object.entries({ [files.keyFile]: key, [files.certFile]: cert })) {
    await writeFile(file, text, { mode: 0o600 })
    if (identity) await chown(file, identity.uid, identity.gid)
  }
  return files
}

/** SIGQUIT is PostgreSQL's way to end at once with all its processes; what does not heed it is killed. */
function ending(pid: number | undefined): string {
  return (
    `kill -CONT $(cat /proc/${pid}/task/${pid}/children) ${pid}; kill -QUIT ${pid}; ` +
    `for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 ${pid} || break; sleep 0.1; done; kill -9 ${pid}`
  )
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
