import type { Schedule } from '../../src/base/time/schedule.js'
import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import type { Draft, InboxListener, RowSession, Rows } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Keyspace, Shape } from '../../src/stores/rows/shape.js'
import type { Random } from '../../test/chaos/program/random.js'
import { kept } from './kept.js'
import type { Traits } from './traits.js'
import { Wire } from './wire.js'

/** What all connections of a fleet have carried. */
export interface Traffic {
  commands: number
  messages: number
}

/** The store in memory as one process sees it: from a distance. */
export class Connection implements Store, Rows {
  readonly clock
  readonly #there: Wire
  readonly #back: Wire
  #session: RowSession | undefined

  constructor(
    private readonly rows: Rows,
    private readonly traffic: Traffic,
    schedule: Schedule,
    random: Random,
    { latencyMs, lateMs }: Traits,
  ) {
    this.clock = schedule.clock
    this.#there = new Wire(schedule, random, latencyMs)
    this.#back = new Wire(schedule, random, latencyMs, lateMs)
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this, settings)
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const session = this.rows.openRows(settings, {
      message: (message) => {
        this.traffic.messages += 1
        this.#back.send(() => listener.message(message))
      },
      missed: () => this.#back.send(() => listener.missed()),
    })
    this.#session = session
    const { inbox } = session
    return {
      inbox: inbox && {
        get open() {
          return inbox.open
        },
        opened: async () => {
          if (!inbox.open) await this.#asked(() => inbox.opened())
        },
        doubt: () => undefined,
      },
      change: <Body, Result>(shape: Shape<Body>, name: string, change: (draft: Draft<Body>) => Result) =>
        this.#asked(() => session.change(kept(shape), name, change)),
      names: (keyspace: Keyspace, pattern) => session.names(keyspace, pattern),
      close: () => session.close(),
    }
  }

  /** Its process is killed: nothing comes any more, and the store hears of that when the end of the connection has got there. */
  cut(): void {
    this.#back.cut()
    this.#there.send(() => void this.#session?.close())
    this.#there.cut()
  }

  /** Its process stands still: nothing comes any more, and the store does not know. */
  freeze(): void {
    this.#back.cut()
    this.#there.cut()
  }

  async #asked<Result>(work: () => Promise<Result>): Promise<Result> {
    this.traffic.commands += 1
    await this.#there.travel()
    const outcome = await work()
    await this.#back.travel()
    return outcome
  }
}
