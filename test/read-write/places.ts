/** Read-write locks at their ports, without the wait loop: what the store promises by itself, in each place it is kept. */

import { randomUUID } from 'node:crypto'
import { LeftPlaces } from '../../src/line/left-places.js'
import { Words } from '../../src/line/proof.js'
import { MemoryRows } from '../../src/memory/memory-rows.js'
import { ReleaseChannels } from '../../src/redis/channels/release-channel.js'
import { isCluster, type RedisClient } from '../../src/redis/connection/client.js'
import { ClusterLink } from '../../src/redis/connection/cluster-link.js'
import type { Link, LinkListener } from '../../src/redis/connection/link.js'
import { Refusals } from '../../src/redis/connection/refusals.js'
import { StandaloneLink } from '../../src/redis/connection/standalone-link.js'
import { giveBackIn } from '../../src/redis/line/told.js'
import { readWritePorts } from '../../src/redis/locks/read-write-lock.js'
import { RowStoreSession } from '../../src/rows/session.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { VirtualClock } from '../../src/time/virtual-clock.js'
import type { Bystander } from '../setup/bystander.js'
import { rowSettings } from '../setup/row-settings.js'
import { ReadWriteClient, WATCHDOG_MS } from './client.js'

export interface ClientOptions {
  /** How long what is granted to it in line lasts until it takes over, and after how long it looks for the first time. */
  readonly firstLeaseMs?: number
}

/** Where read-write locks are kept. */
export abstract class ReadWritePlace {
  readonly #clients: ReadWriteClient[] = []

  constructor(readonly name: string) {}

  /** Another process's client, in effect. */
  client({ firstLeaseMs = 5_000 }: ClientOptions = {}): ReadWriteClient {
    const client = this.open(randomUUID(), firstLeaseMs)
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()))
  }

  /** Lets time pass where the locks are. */
  abstract pass(ms: number): Promise<void>

  protected abstract open(clientId: string, firstLeaseMs: number): ReadWriteClient
}

export class MemoryPlace extends ReadWritePlace {
  readonly clock = new VirtualClock()
  readonly #rows = new MemoryRows(this.clock)

  constructor() {
    super('memory')
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms)
  }

  protected open(clientId: string, firstLeaseMs: number): ReadWriteClient {
    const session = new RowStoreSession(this.#rows, rowSettings(this.clock, { clientId, firstLeaseMs }))
    const { readWriteLock } = session
    if (!readWriteLock) throw new Error('rows in memory tell of grants')
    return new ReadWriteClient(clientId, readWriteLock, () => session.close())
  }
}

export class RedisPlace extends ReadWritePlace {
  constructor(
    name: string,
    private readonly pattern: () => RedisClient,
    /** The server, or the cluster, seen from beside. */
    readonly server: Bystander,
  ) {
    super(name)
  }

  async pass(ms: number): Promise<void> {
    await this.server.pass(ms)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.server.close()
  }

  protected open(clientId: string, firstLeaseMs: number): ReadWriteClient {
    const errors: unknown[] = []
    const onError = (error: unknown): number => errors.push(error)
    const clock = new SystemClock()
    const schedule = new Schedule(clock, onError)
    const channels = new ReleaseChannels(() => link, schedule)
    const leftPlaces = new LeftPlaces(clock, onError)
    const listener: LinkListener = {
      message: (channel, text) => {
        channels.announce(channel, text)
        giveBackIn(text, leftPlaces)
      },
      resumed: (resumed) => {
        for (const channel of resumed) channels.announce(channel)
      },
      refused: (channel, error) => {
        onError(error)
        channels.drop(channel)
      },
      error: onError,
    }
    const pattern = this.pattern()
    const link: Link = isCluster(pattern)
      ? new ClusterLink(pattern, schedule, 5_000, listener)
      : new StandaloneLink(pattern, schedule, 5_000, listener)
    const ports = readWritePorts(
      { link, channels, keyPrefix: pattern.options.keyPrefix ?? '', onError },
      {
        clientId,
        firstLeaseMs,
        watchdogLeaseMs: WATCHDOG_MS,
        clock,
        leftPlaces,
        words: new Words(),
        refusals: new Refusals(link, onError),
      },
    )
    const end = async (): Promise<void> => {
      channels.close()
      await link.close()
      schedule.clear()
    }
    return new ReadWriteClient(clientId, ports, end, errors)
  }
}

let names = 0

export function lockName(): string {
  names += 1
  return `rw:${process.pid}:${Date.now()}:${names}`
}
