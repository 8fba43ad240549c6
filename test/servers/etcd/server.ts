import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { run } from '../kept.js'
import type { Launcher } from '../launch.js'
import { freePort } from '../port.js'
import { type Command, processLauncher } from '../process.js'
import { folderWith, ServerProgram, started } from '../server-program.js'
import type { Certificate } from '../sql/product.js'
import { type EtcdRelease, etcdProgram } from './programs.js'

export interface EtcdOrder {
  readonly args?: readonly string[]
  /** Speaks TLS only; with `asksForOne`, to those who show a certificate of that authority. */
  readonly tls?: Certificate & { readonly asksForOne?: boolean }
  readonly release?: EtcdRelease
  /** Tokens are signed, and end after so many seconds. Default: they are kept in memory. */
  readonly signedTokensEndAfterS?: number
  /** Whether what is written outlasts a crash of the machine. Default: false. */
  readonly fsync?: boolean
}

export interface Membership {
  readonly name: string
  readonly peerPort: number
  readonly peerUrl: string
  readonly cluster: string
}

export class EtcdServer extends ServerProgram<EtcdOrder & Membership> {
  readonly title = 'etcd'
  /** As the other members write it. */
  memberId = ''

  static async start(order: EtcdOrder = {}): Promise<EtcdServer> {
    const peerPort = await freePort()
    const peerUrl = `http://127.0.0.1:${peerPort}`
    const alone = { name: 'alone', peerPort, peerUrl, cluster: `alone=${peerUrl}` }
    return await started(await EtcdServer.prepare({ ...order, ...alone }))
  }

  /** One that is not started yet. */
  static async prepare(order: EtcdOrder & Membership): Promise<EtcdServer> {
    const { tls, signedTokensEndAfterS } = order
    const guard = await folderWith({
      ...(tls && { 'key.pem': tls.key, 'cert.pem': tls.cert }),
      ...(signedTokensEndAfterS && { secret: 'of tests' }),
    })
    return new EtcdServer(guard, await freePort(), order)
  }

  get url(): string {
    return `${this.order.tls ? 'https' : 'http'}://${this.address}`
  }

  async ctl(...args: readonly string[]): Promise<string> {
    const [program, ...before] = await this.#ctl(args)
    return (await run(program, before, { env: { ETCDCTL_API: '3' } })).stdout
  }

  async spawnCtl(...args: readonly string[]): Promise<ChildProcess> {
    const [program, ...before] = await this.#ctl(args)
    return spawn(program, before, { env: { ETCDCTL_API: '3' }, stdio: ['ignore', 'pipe', 'inherit'] })
  }

  async #ctl(args: readonly string[]): Promise<Command> {
    const [program, ...before] = await etcdProgram('etcdctl')
    const { dir } = this.guard
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
    const tls = this.order.tls ? [`--cacert=${cert}`, `--cert=${cert}`, `--key=${key}`] : []
    return [program, ...before, `--endpoints=${this.url}`, ...tls, ...args]
  }

  /** Has it go on, or starts it, whatever a test has left behind. Waits for nothing. */
  async revive(): Promise<void> {
    if (this.runs) await this.resume()
    else await this.launch()
  }

  protected async launcher(): Promise<Launcher> {
    return processLauncher(await etcdProgram('etcd', this.order.release))
  }

  protected async answers(): Promise<boolean> {
    // It fails without a majority. What a member says of its leader may be of before it was paused.
    await this.ctl('endpoint', 'health')
    const status = await this.ctl('endpoint', 'status', '--write-out=json')
    // Too long for a number of JavaScript.
    this.memberId = BigInt(/"member_id":(\d+)/.exec(status)?.[1] ?? '').toString(16)
    return true
  }

  protected args(): string[] {
    const { order, url } = this
    const { args = [], tls, signedTokensEndAfterS: endAfterS, release, fsync = false } = order
    const signed = `jwt,sign-method=HS256,priv-key=secret,ttl=${endAfterS}s`
    return [
      ...['--name', order.name, '--data-dir', 'data', '--log-level', 'error'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', `http://127.0.0.1:${order.peerPort}`],
      ...['--initial-advertise-peer-urls', order.peerUrl, '--initial-cluster', order.cluster],
      ...['--initial-cluster-state', 'new'],
      ...(tls ? ['--cert-file', 'cert.pem', '--key-file', 'key.pem'] : []),
      ...(tls?.asksForOne ? ['--client-cert-auth', '--trusted-ca-file', 'cert.pem'] : []),
      ...(endAfterS === undefined ? [] : ['--auth-token', signed]),
      // 3.4 knows no such flag.
      ...(fsync || release === '3.4' ? [] : ['--unsafe-no-fsync']),
      ...args,
    ]
  }
}
