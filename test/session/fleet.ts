import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import type { Line } from '../../src/stores/session/line.js'
import type { LinkListener, SessionLink } from '../../src/stores/session/link.js'
import { Ensemble } from '../memory-session/ensemble.js'
import { MemorySessionStore } from '../memory-session/store.js'
import { CutLink } from './cut-link.js'

export interface Client {
  readonly holdfast: Holdfast
  readonly link: CutLink
}

export const kinds = [
  ...(['lock', 'fairLock', 'fencedLock', 'spinLock', 'readLock', 'writeLock'] as const),
  'semaphore',
] as const
export type Kind = (typeof kinds)[number]

/** What one acquires there, of any kind, by one name. */
export function handleOf(holdfast: Holdfast, kind: Kind) {
  if (kind === 'readLock' || kind === 'writeLock') return holdfast.readWriteLock('name')[kind]()
  return holdfast[kind]('name')
}

/** Clients of one server with sessions, in virtual time, each with a link of its own that tests can cut. */
export class Fleet {
  readonly clock = new VirtualClock()
  readonly ensemble = new Ensemble(this.clock)
  readonly #made: Holdfast[] = []

  /** @param leases whether entries can have leases of their own, as in etcd and not in ZooKeeper */
  client(options: HoldfastOptions = {}, leases = true): Client {
    const links: CutLink[] = []
    const linkTo = (server: Ensemble, listener: LinkListener): SessionLink => {
      const link = new CutLink(server, listener)
      links.push(link)
      return leases ? link : Object.assign(link, { lease: undefined })
    }
    const store = new MemorySessionStore(this.ensemble, linkTo)
    const holdfast = new Holdfast(store, { watchdogMs: 9_000, ...options })
    this.#made.push(holdfast)
    const [link] = links
    if (!link) throw new Error('The store opened no link')
    return { holdfast, link }
  }

  /** Who stands in line for the plain lock of that name. */
  line(name = 'lock'): Line {
    return this.ensemble.read({ keyspace: 'lock', name })
  }

  /** A time within a section. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.startTimer(resolve, ms))
  }

  /** Lets all go on that needs no time. */
  settled(): Promise<void> {
    return this.clock.advance(0)
  }

  async close(): Promise<void> {
    const closing = Promise.all(this.#made.map((holdfast) => holdfast.close()))
    await this.clock.advance(60_000)
    await closing
  }
}
