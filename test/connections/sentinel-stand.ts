import { Redis } from 'ioredis5'
import { Holdfast, type HoldfastOptions, type StandaloneClient } from '../../src/index.js'
import { RespProxy } from '../fault/proxy.js'
import type { SentinelGroup } from '../servers/index.js'
import { type MatrixLibrary, sentinelClient } from '../setup/clients.js'

interface Endpoint {
  readonly host: string
  readonly port: number
}

/** A Sentinel group with a proxy before each sentinel and before the primary, and clients that go through them. */
export class SentinelStand {
  readonly #made: Holdfast[] = []
  readonly #clients: StandaloneClient[] = []

  private constructor(
    private readonly group: Pick<SentinelGroup, 'name'>,
    readonly sentinels: readonly RespProxy[],
    readonly primary: RespProxy,
    private readonly address: Endpoint,
    /** Straight to the primary. */
    readonly direct: Redis,
  ) {}

  static async before(group: { sentinels: Endpoint[]; name: SentinelGroup['name'] }): Promise<SentinelStand> {
    const [first] = group.sentinels
    if (!first) throw new Error('a group has sentinels')
    const asked = new Redis({ host: first.host, port: first.port })
    const told = await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group.name)
    asked.disconnect()
    const [host, port] = Array.isArray(told) ? told.map(String) : []
    const address = { host: host ?? '', port: Number(port) }
    const sentinels = await Promise.all(group.sentinels.map((sentinel) => RespProxy.before(sentinel)))
    return new SentinelStand(group, sentinels, await RespProxy.before(address), address, new Redis(address))
  }

  /** Another process's client, in effect. */
  holdfast(library: MatrixLibrary, options: HoldfastOptions = {}, client: object = {}): Holdfast {
    const { host, port } = this.address
    const { primary } = this
    const sentinels = this.sentinels.map((proxy) => ({ host: proxy.host, port: proxy.port }))
    const wayTo = ({ host, port }: RespProxy): Endpoint => ({ host, port })
    // What sentinels say of each other would lead past the proxies.
    const natMap = Object.fromEntries([
      [`${host}:${port}`, wayTo(primary)],
      ...this.sentinels.map((proxy) => [`${proxy.target.host}:${proxy.target.port}`, wayTo(proxy)]),
    ])
    const pattern = sentinelClient({ sentinels, name: this.group.name }, library, {
      ...client,
      updateSentinels: false,
      natMap,
    })
    pattern.on('error', () => undefined)
    this.#clients.push(pattern)
    const holdfast = new Holdfast(pattern, options)
    this.#made.push(holdfast)
    return holdfast
  }

  async end(): Promise<void> {
    for (const proxy of [...this.sentinels, this.primary]) proxy.heal()
    await Promise.all(this.#made.splice(0).map((holdfast) => holdfast.close()))
    for (const client of this.#clients.splice(0)) client.disconnect()
    this.direct.disconnect()
    await Promise.all([...this.sentinels, this.primary].map((proxy) => proxy.stop()))
  }
}
