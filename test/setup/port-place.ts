/** Locks at their ports, without the wait loop: what the store promises by itself, in each place they are kept. */
import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Clock, SystemClock } from '../../src/base/time/clock.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { StoreSettings } from '../../src/port/store.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { RedisClient } from '../../src/stores/redis/connection/client.js'
import type { LinesSettings } from '../../src/stores/redis/line/line-terms.js'
import { RedisSession } from '../../src/stores/redis/session.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { Bystander } from './bystander.js'
import { clusterClient, standaloneClient } from './clients.js'
import { type Opened, WATCHDOG_MS } from './port-client.js'
import { rowSettings } from './row-settings.js'

export interface ClientOptions {
  /** How long what is granted to it in line lasts until it takes over, and after how long it looks for the first time. */
  readonly firstLeaseMs?: number
  /** This machine's, where that counts. */
  readonly clock?: Clock
}

type Clients<Client> = new (opened: Opened) => Client
type Closing = { close(): Promise<void> }

interface PortSettings extends StoreSettings {
  readonly firstLeaseMs: number
}

/** A session whose first lease in line is what a test asks for. */
class PortSession extends RedisSession {
  declare protected readonly settings: PortSettings

  protected override lineSettings(): LinesSettings {
    return { ...super.lineSettings(), firstLeaseMs: this.settings.firstLeaseMs }
  }
}

export abstract class PortPlace<Client extends Closing> {
  readonly #clients: Client[] = []

  constructor(
    readonly name: string,
    private readonly clients: Clients<Client>,
  ) {}

  client({ firstLeaseMs = 5_000, clock = new SystemClock() }: ClientOptions = {}): Client {
    const client = new this.clients(this.open(randomUUID(), firstLeaseMs, clock))
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()))
  }

  abstract pass(ms: number): Promise<void>

  protected abstract open(clientId: string, firstLeaseMs: number, clock: Clock): Opened
}

export class MemoryPlace<Client extends Closing> extends PortPlace<Client> {
  readonly clock = new VirtualClock()
  readonly #rows = new MemoryRows(this.clock)

  constructor(clients: Clients<Client>) {
    super('memory', clients)
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms)
  }

  protected open(clientId: string, firstLeaseMs: number): Opened {
    const session = new RowStoreSession(this.#rows, rowSettings(this.clock, { clientId, firstLeaseMs }))
    return { clientId, session, end: () => session.close(), errors: [] }
  }
}

export class RedisPlace<Client extends Closing> extends PortPlace<Client> {
  /** The server, or the cluster, seen from beside. */
  readonly server: Bystander

  constructor(
    name: string,
    clients: Clients<Client>,
    private readonly pattern: () => RedisClient,
  ) {
    super(name, clients)
    this.server = new Bystander(pattern)
  }

  static standalone<Client extends Closing>(
    clients: Clients<Client>,
    options: { protocol?: number; keyPrefix?: string } = {},
  ): RedisPlace<Client> {
    return new RedisPlace('standalone', clients, () =>
      standaloneClient({ ...inject('servers').standalone, ...options }),
    )
  }

  static cluster<Client extends Closing>(clients: Clients<Client>): RedisPlace<Client> {
    return new RedisPlace('cluster', clients, () => clusterClient(inject('servers').cluster.startupNodes))
  }

  async pass(ms: number): Promise<void> {
    await this.server.pass(ms)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.server.close()
  }

  protected open(clientId: string, firstLeaseMs: number, clock: Clock): Opened {
    const errors: unknown[] = []
    const onError = (error: unknown): void => {
      errors.push(error)
    }
    const common = rowSettings(clock, { clientId, onError })
    const settings: PortSettings = { ...common, firstLeaseMs, watchdogLeaseMs: WATCHDOG_MS }
    const session = new PortSession(this.pattern(), settings)
    const end = async (): Promise<void> => {
      await session.close()
      common.schedule.clear()
    }
    return { clientId, session, end, errors }
  }
}

let names = 0

export function lockName(): string {
  names += 1
  return `ports:${process.pid}:${Date.now()}:${names}`
}
