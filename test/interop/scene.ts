import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { LockState } from '../../src/index.js'
import { type Place, placeOf } from '../setup/places.js'
import { RedissonPeer } from './redisson-peer.js'

/** A lease no test lives to see the end of: who waits for it is woken by a message or not at all. */
export const LONG_LEASE_MS = 600_000

/** The time for sections by the thousand, on a machine that has much else to do. */
export const LOAD_TIMEOUT_MS = 300_000

/** Redisson's watchdog and, where a test says so, Holdfast's: short, so that renewals are seen and the dead are succeeded soon. */
export const WATCHDOG_MS = 900

export const ROUNDS = 10

type Word = string | number

/** One server (or cluster) with a Redisson on it, beside which Holdfast works. */
export class Scene {
  readonly place: Place
  #java: RedissonPeer | undefined

  constructor(readonly server: 'standalone' | 'cluster') {
    this.place = placeOf(server)
  }

  async begin(): Promise<void> {
    this.#java = await this.another()
  }

  /** A further JVM, to be killed by who asked for it. */
  another(): Promise<RedissonPeer> {
    return RedissonPeer.start(
      this.nodes.map(({ host, port }) => `redis://${host}:${port}`),
      WATCHDOG_MS,
    )
  }

  async end(): Promise<void> {
    await this.#java?.kill()
  }

  /** Gives orders about one sort of thing to Java, each on a thread of its own unless one is named. */
  orders(sort: string, thread?: string) {
    return (verb: string, name: string, ...args: Word[]): Promise<string> => {
      if (!this.#java) throw new Error('begin() was not awaited')
      return this.#java.order(thread ?? randomUUID(), `${sort}.${verb}`, name, ...args)
    }
  }

  get nodes(): Array<{ host: string; port: number }> {
    const { cluster, standalone } = inject('servers')
    return this.server === 'cluster' ? cluster.startupNodes : [standalone]
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
}
