import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Guard } from '../guard.js'
import { freePort } from '../port.js'
import { Impossible, until } from '../until.js'
import { zooKeeperClasspath } from './program.js'

/** Lines of zoo.cfg by their names. */
export type ZooKeeperSettings = Readonly<Record<string, string | number | boolean>>

export interface ZooKeeperOrder {
  readonly settings?: ZooKeeperSettings
  /** Java's system properties by their names, for what zoo.cfg cannot say. */
  readonly properties?: Readonly<Record<string, string | number | boolean>>
  /** Files to lay into its folder before it starts; settings name them as they are named here. */
  readonly files?: Readonly<Record<string, string>>
  /** Its number in an ensemble. */
  readonly id?: number
}

const DEFAULTS: ZooKeeperSettings = {
  clientPortAddress: '127.0.0.1',
  dataDir: 'data',
  // Sessions end on whole ticks; short ones make for quick tests.
  tickTime: 100,
  minSessionTimeout: 100,
  maxSessionTimeout: 60_000,
  maxClientCnxns: 0,
  'admin.enableServer': false,
  '4lw.commands.whitelist': '*',
}

const PROPERTIES: ZooKeeperOrder['properties'] = {
  // What is acknowledged survives the end of the server, if not that of the machine.
  'zookeeper.forceSync': 'no',
  'org.slf4j.simpleLogger.defaultLogLevel': 'warn',
}

/** What starts a Java program quickly and keeps it small. */
const JVM = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']

/** A ZooKeeper server started here, on a folder of its own: neither outlives this process. */
export class ZooKeeperServer {
  readonly host = '127.0.0.1'
  #child: ChildProcess | undefined

  private constructor(
    private readonly guard: Guard,
    readonly port: number,
    private readonly order: ZooKeeperOrder,
  ) {}

  /** Starts one that stands alone, and resolves when it serves. */
  static async start(order: ZooKeeperOrder = {}): Promise<ZooKeeperServer> {
    const server = await ZooKeeperServer.prepare(order)
    try {
      await server.start()
      await server.serves()
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** One that is not started yet. */
  static async prepare(order: ZooKeeperOrder): Promise<ZooKeeperServer> {
    const guard = await Guard.mount()
    const server = new ZooKeeperServer(guard, await freePort(), order)
    await mkdir(join(guard.dir, 'data'))
    if (order.id !== undefined) await writeFile(join(guard.dir, 'data', 'myid'), String(order.id))
    for (const [name, text] of Object.entries(order.files ?? {})) await writeFile(join(guard.dir, name), text)
    return server
  }

  /** As clients are told of it. */
  get address(): string {
    return `${this.host}:${this.port}`
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether its process runs, paused or not. */
  get runs(): boolean {
    return this.#child !== undefined
  }

  /** Starts it, again after `kill`, on the same port and data. Resolves when the process runs; it may not serve yet. */
  async start(): Promise<void> {
    const { dir } = this.guard
    const settings = { clientPort: this.port, ...DEFAULTS, ...this.order.settings }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(join(dir, 'zoo.cfg'), lines.join(''))
    const properties = Object.entries({ ...PROPERTIES, ...this.order.properties })
    const output = await open(join(dir, 'output.txt'), 'a')
    const child = spawn(
      'java',
      [
        ...JVM,
        ...properties.map(([name, value]) => `-D${name}=${value}`),
        ...[
          '-cp',
          await zooKeeperClasspath(),
          'org.apache.zookeeper.server.quorum.QuorumPeerMain',
          'zoo.cfg',
        ],
      ],
      { cwd: dir, detached: true, stdio: ['ignore', output.fd, output.fd] },
    )
    child.unref()
    child.once('exit', () => {
      if (this.#child === child) this.guard.undo('')
    })
    await once(child, 'spawn').finally(() => output.close())
    this.#child = child
    this.guard.undo(`kill -9 ${child.pid}`)
  }

  /** Resolves when it serves clients. */
  async serves(): Promise<void> {
    const child = this.#child
    await until(
      async () => {
        if (child?.exitCode !== null || child.signalCode !== null) {
          throw new Impossible(await readFile(join(this.guard.dir, 'output.txt'), 'utf8'))
        }
        return (await this.mode()) !== undefined
      },
      { what: `ZooKeeper serves at ${this.address}`, withinMs: 60_000 },
    )
  }

  /** What part it plays: `standalone`, `leader`, `follower`, `read-only`; undefined while it serves nobody. */
  async mode(): Promise<string | undefined> {
    return /^Mode: (\S+)/m.exec(await this.ask('srvr'))?.[1]
  }

  /** One of the commands of four letters that ZooKeeper has for operators. */
  async ask(word: string): Promise<string> {
    const socket = connect({ port: this.port, host: this.host })
    socket.setTimeout(2_000, () => socket.destroy(new Error(`no answer to ${word}`)))
    socket.end(word)
    let said = ''
    for await (const bytes of socket) said += String(bytes)
    return said
  }

  /** Makes it hang: connections stay open, nothing is answered. */
  async pause(): Promise<void> {
    const pid = this.#child?.pid
    this.#child?.kill('SIGSTOP')
    // The signal has been sent; threads that run at the moment go on until they hear it.
    await until(() => standsStill(pid), { what: `${this.address} stands still` })
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Ends it as a crash would. Its data stays as a crash leaves it. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    this.guard.undo('')
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.ref()
    child.kill('SIGKILL')
    await gone
  }

  /** Ends it for good and removes its folder. */
  async stop(): Promise<void> {
    await this.kill()
    await this.guard.dismiss()
  }
}

async function standsStill(pid: number | undefined): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => ') T ')),
  )
  return states.every((state) => /\) [TtZX] /.test(state))
}
