/** Hundreds of processes in the line of one lock, of which few look: it goes on, whoever goes and whatever is lost (W3, W7). */
import { expect, test } from 'vitest'
import { Connection } from '../../bench/simulated/connection.js'
import { pause, Schedule } from '../../src/base/time/schedule.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { type Hold, Holdfast } from '../../src/index.js'
import type { StoreSettings } from '../../src/port/store.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { InboxListener, RowSession, Rows } from '../../src/stores/rows/rows.js'
import { Random } from '../chaos/program/random.js'

const PROCESSES = 200
/** So many places in front look when the lock ends. */
const FRONT = 8
/** How long the holder has the lock, and how long a grant lasts that nobody takes over. */
const LEASE_MS = 15_000
const FIRST_LEASE_MS = 5_000
/** After so long every process in line looks. */
const LONGEST_LOOK_MS = 30_000
/** What messages and requests take on their way, and sections, altogether. */
const WAYS_MS = 3_000

/** Rows at one leader after another. */
class Leaders implements Rows {
  /** Whether what it has to tell is lost. */
  mute = false
  #rows: MemoryRows
  readonly #clients: Array<{ readonly reopen: () => void; readonly listener: InboxListener }> = []

  constructor(private readonly clock: VirtualClock) {
    this.#rows = new MemoryRows(clock)
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const open = (): RowSession =>
      this.#rows.openRows(settings, {
        message: (message) => this.mute || listener.message(message),
        missed: () => listener.missed(),
      })
    let session = open()
    const reopen = (): void => {
      session = open()
      void session.inbox?.opened()
    }
    this.#clients.push({ reopen, listener })
    return {
      get inbox() {
        return session.inbox
      },
      change: (shape, name, change) => session.change(shape, name, change),
      names: (keyspace, pattern) => session.names(keyspace, pattern),
      close: () => session.close(),
    }
  }

  /** All clients find out at the same time that they may have missed something. */
  comeBack(): void {
    this.mute = false
    for (const { listener } of this.#clients) listener.missed()
  }

  /** Another one, which knows nothing. */
  replace(): void {
    this.#rows = new MemoryRows(this.clock)
    for (const { reopen } of this.#clients) reopen()
  }
}

/** One process, whose only call waits for the lock. */
class Waiting {
  readonly holdfast: Holdfast
  entered = false

  constructor(
    readonly connection: Connection,
    private readonly schedule: Schedule,
  ) {
    this.holdfast = new Holdfast(connection, { watchdogMs: 3 * FIRST_LEASE_MS })
  }

  async enter(): Promise<void> {
    const hold = await this.holdfast.lock('wanted').acquire()
    this.entered = true
    await pause(this.schedule, 1)
    await hold.release()
  }
}

/** The holder of a lock, and the processes in its line, all of which have joined and looked since. */
class Crowd {
  readonly clock = new VirtualClock()
  readonly #schedule = new Schedule(this.clock, (error) => {
    throw error
  })
  readonly leaders = new Leaders(this.clock)
  readonly #random = new Random(1)
  readonly holder = this.#process()
  readonly line = Array.from({ length: PROCESSES }, () => this.#process())
  hold: Hold | undefined

  static async gathered(): Promise<Crowd> {
    const crowd = new Crowd()
    const held = crowd.holder.holdfast.lock('wanted').acquire({ leaseMs: LEASE_MS })
    await crowd.clock.advance(100)
    crowd.hold = await held
    for (const each of crowd.line) {
      each.enter().catch(() => undefined)
      // So that they stand in line in this order.
      await crowd.clock.advance(2)
    }
    await crowd.clock.advance(FIRST_LEASE_MS + 1_000)
    return crowd
  }

  #process(): Waiting {
    const traits = { latencyMs: 1, lateMs: 0, sectionMs: 1, leaving: 0 }
    const traffic = { commands: 0, messages: 0 }
    const connection = new Connection(this.leaders, traffic, this.#schedule, this.#random, traits)
    return new Waiting(connection, this.#schedule)
  }
}

interface Blow {
  readonly what: string
  strike(crowd: Crowd): void
  /** How many in front do not come back. */
  readonly gone: number
  readonly withinMs: number
}

const blows: readonly Blow[] = [
  {
    what: 'W3: the holder is killed: the first in line looks when the lease ends',
    strike: ({ holder }) => holder.connection.cut(),
    gone: 0,
    withinMs: LEASE_MS,
  },
  {
    what: 'W3: the holder and all in front are killed: who rests behind them looks in time, and passes over them at once',
    strike: ({ holder, line }) => {
      for (const { connection } of [holder, ...line.slice(0, FRONT)]) connection.cut()
    },
    gone: FRONT,
    withinMs: LEASE_MS + LONGEST_LOOK_MS,
  },
  {
    what: 'W3: the holder is killed and many freeze, not only in front: each costs one first lease, once somebody has looked',
    strike: ({ holder, line }) => {
      holder.connection.cut()
      for (const { connection } of line.slice(0, 2 * FRONT)) connection.freeze()
    },
    gone: 2 * FRONT,
    withinMs: LEASE_MS + LONGEST_LOOK_MS + 2 * FRONT * FIRST_LEASE_MS,
  },
  {
    what: 'W7: the holder releases, and every message is lost: clients that find out look, and all of them enter',
    strike: ({ clock, leaders, hold }) => {
      leaders.mute = true
      void hold?.release()
      clock.advance(100).then(() => leaders.comeBack())
    },
    gone: 0,
    withinMs: FIRST_LEASE_MS,
  },
  {
    what: 'W7: a leader comes that knows of no lock and of no line, and the holder is killed: all enter',
    strike: ({ holder, leaders }) => {
      holder.connection.cut()
      leaders.replace()
      leaders.comeBack()
    },
    gone: 0,
    withinMs: FIRST_LEASE_MS,
  },
]

test.each(blows)('$what', async ({ strike, gone, withinMs }) => {
  const crowd = await Crowd.gathered()
  const living = crowd.line.slice(gone)
  strike(crowd)
  await crowd.clock.advance(withinMs + WAYS_MS)
  expect(living.filter(({ entered }) => !entered)).toHaveLength(0)
})
