import { connect } from 'node:net'
import type { Launcher } from '../launch.js'
import { freePort } from '../port.js'
import { processLauncher } from '../process.js'
import { folderWith, ServerProgram, started } from '../server-program.js'
import { zooKeeperClasspath } from './program.js'

export type ZooKeeperSettings = Readonly<Record<string, string | number | boolean>>

export interface ZooKeeperOrder {
  readonly settings?: ZooKeeperSettings
  /** Java's system properties by their names, for what zoo.cfg cannot say. */
  readonly properties?: Readonly<Record<string, string | number | boolean>>
  readonly files?: Readonly<Record<string, string>>
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

const JVM = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']

export class ZooKeeperServer extends ServerProgram<ZooKeeperOrder> {
  readonly title = 'ZooKeeper'

  static async start(order: ZooKeeperOrder = {}): Promise<ZooKeeperServer> {
    return await started(await ZooKeeperServer.prepare(order))
  }

  /** One that is not started yet. */
  static async prepare(order: ZooKeeperOrder): Promise<ZooKeeperServer> {
    const clientPort = await freePort()
    const settings = Object.entries({ clientPort, ...DEFAULTS, ...order.settings })
    const guard = await folderWith({
      'zoo.cfg': settings.map(([name, value]) => `${name}=${value}\n`).join(''),
      'data/myid': String(order.id ?? 1),
      ...order.files,
    })
    return new ZooKeeperServer(guard, clientPort, order)
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

  protected async launcher(): Promise<Launcher> {
    const properties = Object.entries({ ...PROPERTIES, ...this.order.properties })
    const defined = properties.map(([name, value]) => `-D${name}=${value}`)
    return processLauncher(['java', ...JVM, ...defined, '-cp', await zooKeeperClasspath()])
  }

  protected args(): readonly string[] {
    return ['org.apache.zookeeper.server.quorum.QuorumPeerMain', 'zoo.cfg']
  }

  protected answers(): Promise<string | undefined> {
    return this.mode()
  }
}
