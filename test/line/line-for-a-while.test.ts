/** A store that keeps a line, then none, and one again: its queue of messages is full for a while, or a pooler is found late. */
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { Holdfast, LockTimeoutError, type Store, StoreError } from '../../src/index.js'
import type { StoreSession, StoreSettings } from '../../src/port/store.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { Draft, Inbox, InboxListener, RowSession, Rows } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Keyspace, Shape } from '../../src/stores/rows/shape.js'
import { Random } from '../chaos/program/random.js'

const CLIENTS = 3
const LASTS_MS = 8_000
const LONGEST_SECTION_MS = 20
const LONGEST_CHANGE_MS = 3

/** One client's way to rows in memory. Whether messages come to it it finds out by itself, as with a server's queue of them. */
class Way implements RowSession {
  deaf = false
  readonly #session: RowSession

  constructor(
    rows: MemoryRows,
    settings: StoreSettings,
    private readonly listener: InboxListener,
    private readonly travels: () => Promise<void>,
  ) {
    this.#session = rows.openRows(settings, {
      message: (message) => {
        if (!this.deaf) listener.message(message)
      },
      missed: () => listener.missed(),
    })
  }

  get inbox(): Inbox | undefined {
    const { inbox } = this.#session
    if (this.deaf || !inbox) return undefined
    const hears = (): boolean => !this.deaf && inbox.open
    return {
      get open() {
        return hears()
      },
      opened: async () => {
        await inbox.opened()
        if (this.deaf) throw new StoreError('not-ready', 'LISTEN', { transient: true })
      },
      doubt: () => undefined,
    }
  }

  turn(deaf: boolean): void {
    if (deaf === this.deaf) return
    this.deaf = deaf
    this.listener.missed()
  }

  async change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    await this.travels()
    const { deaf } = this
    return await this.#session.change(shape, name, (draft) =>
      change(deaf ? { ...draft, reaches: () => false, tell: () => undefined } : draft),
    )
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return this.#session.names(keyspace, pattern)
  }

  close(): Promise<void> {
    return this.#session.close()
  }
}

class MoodyStore implements Store, Rows {
  readonly clock = new VirtualClock()
  readonly ways: Way[] = []
  readonly #rows = new MemoryRows(this.clock)

  constructor(private readonly random: Random) {}

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this, settings)
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const travels = (): Promise<void> => this.pause(this.random.next() * LONGEST_CHANGE_MS)
    const way = new Way(this.#rows, settings, listener, travels)
    this.ways.push(way)
    return way
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.startTimer(resolve, ms))
  }
}

const handles = {
  lock: (holdfast: Holdfast) => holdfast.lock('moody'),
  fencedLock: (holdfast: Holdfast) => holdfast.fencedLock('moody'),
  fairLock: (holdfast: Holdfast) => holdfast.fairLock('moody'),
  writeLock: (holdfast: Holdfast) => holdfast.readWriteLock('moody').writeLock(),
  semaphore: (holdfast: Holdfast) => holdfast.semaphore('moody', 1),
  permitExpirableSemaphore: (holdfast: Holdfast) => holdfast.permitExpirableSemaphore('moody', 1),
}

/** The n-th of equal seeds in a row, or as many as are asked for. */
const seeds = Array.from({ length: Number(process.env['HOLDFAST_SEEDS'] ?? 2) }, (_, index) => index + 1)

describe.each(Object.entries(handles))('faults B9, O1, W3: %s', (_, handleOf) => {
  test.each(seeds)(
    'with seed %i nobody enters beside another, none is lost, and all are served',
    async (seed) => {
      const random = new Random(seed)
      const store = new MoodyStore(random)
      const { clock, ways } = store
      const clients = Array.from({ length: CLIENTS }, () => new Holdfast(store))
      const faults: unknown[] = []
      const served = clients.map(() => 0)
      let inside = 0
      const section = async (at: number): Promise<void> => {
        inside += 1
        if (inside > 1) faults.push(`${inside} inside at ${clock.now()}`)
        served[at] = (served[at] ?? 0) + 1
        await store.pause(random.next() * LONGEST_SECTION_MS)
        inside -= 1
      }
      const loops = clients.flatMap((holdfast, at) => {
        holdfast.on('lost', (loss) => faults.push(loss))
        const handle = handleOf(holdfast)
        return ['waits', 'waits', 'gives up'].map(async (how) => {
          while (clock.now() < LASTS_MS) {
            const hold = await handle
              .acquire(how === 'waits' ? {} : { waitMs: random.whole(1, 60) })
              .catch((error: unknown) => void (error instanceof LockTimeoutError || faults.push(error)))
            if (hold) {
              await section(at)
              await hold.release().catch((error: unknown) => faults.push(error))
            }
            await store.pause(random.next() * 10)
          }
        })
      })
      let over = false
      const all = Promise.all(loops).then(() => {
        over = true
      })
      while (!over && clock.now() < 2 * LASTS_MS) {
        await clock.advance(random.next() * 100)
        const deaf = random.chance(0.5)
        const chosen = random.chance(0.5) ? ways : [random.pick(ways)]
        for (const way of chosen) way.turn(deaf)
      }
      expect(faults).toEqual([])
      await all
      expect(Math.min(...served)).toBeGreaterThan(20)
      for (const holdfast of clients) {
        const closing = holdfast.close()
        await clock.advance(60_000)
        await closing
      }
    },
  )
})
