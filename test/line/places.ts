/** The locks that share a line, at their ports and without the wait loop, in each place they are kept. */

import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { LeftPlaces } from '../../src/line/left-places.js'
import { Words } from '../../src/line/proof.js'
import { MemoryRows } from '../../src/memory/memory-rows.js'
import { ReleaseChannels } from '../../src/redis/channels/release-channel.js'
import { isCluster, type RedisClient } from '../../src/redis/connection/client.js'
import { ClusterLink } from '../../src/redis/connection/cluster-link.js'
import type { Link, LinkListener } from '../../src/redis/connection/link.js'
import { Refusals } from '../../src/redis/connection/refusals.js'
import { StandaloneLink } from '../../src/redis/connection/standalone-link.js'
import { LineLockPort } from '../../src/redis/line/line-lock.js'
import { LockCommands } from '../../src/redis/line/lock-commands.js'
import { giveBackIn } from '../../src/redis/line/told.js'
import { FencedLockPort } from '../../src/redis/locks/fenced-lock.js'
import { ReentrantLockPort } from '../../src/redis/locks/reentrant-lock.js'
import { RowStoreSession } from '../../src/rows/session.js'
import { type Clock, SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { VirtualClock } from '../../src/time/virtual-clock.js'
import { Bystander } from '../setup/bystander.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { rowSettings } from '../setup/row-settings.js'
import { LineClient, WATCHDOG_MS } from './client.js'

export interface ClientOptions {
  /** How long what is granted to it in line lasts until it takes over, and after how long it looks for the first time. */
  readonly firstLeaseMs?: number
  /** This machine's, where that counts. */
  readonly clock?: Clock
}

export abstract class LinePlace {
  readonly #clients: LineClient[] = []

  constructor(readonly name: string) {}

  /** Another process's client, in effect. */
  client({ firstLeaseMs = 5_000, clock = new SystemClock() }: ClientOptions = {}): LineClient {
    const client = this.open(randomUUID(), firstLeaseMs, clock)
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()))
  }

  /** Lets time pass where the locks are. */
  abstract pass(ms: number): Promise<void>

  protected abstract open(clientId: string, firstLeaseMs: number, clock: Clock): LineClient
}

export class MemoryPlace extends LinePlace {
  readonly #clock = new VirtualClock()
  readonly #rows = new MemoryRows(this.#clock)

  constructor() {
    super('memory')
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms)
  }

  protected open(clientId: string, firstLeaseMs: number): LineClient {
    const session = new RowStoreSession(this.#rows, rowSettings(this.#clock, { clientId, firstLeaseMs }))
    const { lock, fencedLock: fenced, fairLock: fair = lock, announcedLock: announced } = session
    return new LineClient(clientId, { lock, fenced, fair, announced }, () => session.close())
  }
}

export class RedisPlace extends LinePlace {
  readonly server: Bystander

  constructor(
    name: string,
    private readonly pattern: () => RedisClient,
  ) {
    super(name)
    this.server = new Bystander(pattern)
  }

  static standalone(): RedisPlace {
    return new RedisPlace('standalone', () => standaloneClient(inject('servers').standalone))
  }

  static cluster(): RedisPlace {
    return new RedisPlace('cluster', () => clusterClient(inject('servers').cluster.startupNodes))
  }

  async pass(ms: number): Promise<void> {
    await this.server.pass(ms)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.server.close()
  }

  protected open(clientId: string, firstLeaseMs: number, clock: Clock): LineClient {
    const errors: unknown[] = []
    const onError = (error: unknown): void => {
      errors.push(error)
    }
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
    const parts = { link, channels, keyPrefix: '', onError }
    const refusals = new Refusals(link, onError)
    const words = new Words()
    const settings = {
      clientId,
      firstLeaseMs,
      watchdogLeaseMs: WATCHDOG_MS,
      clock,
      leftPlaces,
      words,
      refusals,
    }
    const commands = (fenceRetentionMs?: number): LockCommands =>
      new LockCommands(link, '', { publishCommand: link.publishCommand, fenceRetentionMs }, onError, refusals)
    const ports = {
      lock: new LineLockPort(parts, commands(), settings),
      fenced: new FencedLockPort(parts, commands(0), settings),
      fair: new LineLockPort(parts, commands(), settings),
      announced: new ReentrantLockPort(parts, commands()),
    }
    const end = async (): Promise<void> => {
      channels.close()
      await link.close()
      schedule.clear()
    }
    return new LineClient(clientId, ports, end, errors)
  }
}

let names = 0

export function lockName(): string {
  names += 1
  return `line:${process.pid}:${Date.now()}:${names}`
}
