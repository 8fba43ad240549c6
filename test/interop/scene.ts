import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { LockState } from '../../src/index.js'
import { type Place, placeOf } from '../setup/places.js'
import type { Direction, Pairings } from './pairings.js'
import { RedissonPeer } from './redisson-peer.js'
import { WATCHDOG_MS } from './watchdog-time.js'

/** A lease no test lives to see the end of: who waits for it is woken by a message or not at all. */
export const LONG_LEASE_MS = 600_000

/** The time for sections by the thousand, on a machine that has much else to do. */
export const LOAD_TIMEOUT_MS = 300_000

export type ServerName = 'standalone' | 'cluster'

/** One server (or cluster) with a Redisson on it, beside which Holdfast works. */
export class Scene {
  readonly place: Place
  #java: RedissonPeer | undefined

  constructor(
    readonly server: ServerName,
    private readonly pairings: Pairings,
  ) {
    this.place = placeOf(server)
  }

  async begin(): Promise<void> {
    this.#java = await this.another()
  }

  /** A further JVM, to be killed by who asked for it. */
  async another(): Promise<RedissonPeer> {
    return await RedissonPeer.start(
      this.nodes.map(({ host, port }) => `redis://${host}:${port}`),
      WATCHDOG_MS,
    )
  }

  async end(): Promise<void> {
    await this.#java?.kill()
  }

  get java(): RedissonPeer {
    if (!this.#java) throw new Error('begin() was not awaited')
    return this.#java
  }

  get nodes(): ReadonlyArray<{ host: string; port: number }> {
    const { cluster, standalone } = inject('servers')
    return this.server === 'cluster' ? cluster.startupNodes : [standalone]
  }

  /** A Java thread that nobody else uses. */
  thread(): string {
    return randomUUID()
  }

  async untilWaiting(
    lock: { countWaitingClients(): Promise<number | undefined> },
    clients = 1,
  ): Promise<void> {
    await this.place.eventually(
      () => lock.countWaitingClients(),
      (count) => count === clients,
    )
  }

  async untilRenewed(lock: { inspect(): Promise<LockState> }, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      let lowestMs = Number.POSITIVE_INFINITY
      await this.place.eventually(async () => {
        const { remainingMs } = await lock.inspect()
        const renewed = remainingMs > lowestMs
        lowestMs = Math.min(lowestMs, remainingMs)
        return renewed
      })
    }
  }

  count(kind: string, direction: Direction, what: string, times = 1): void {
    this.pairings.add(kind, this.server, direction, what, times)
  }
}
