import { randomUUID } from 'node:crypto'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { StoreSettings } from '../../src/port/store.js'
import { clientOf, type Place } from '../../src/stores/line/place.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import type { InboxListener, Message, RowSession, Rows } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Shape } from '../../src/stores/rows/shape.js'
import { LineClient, type Opened, ReadWriteClient, WATCHDOG_MS } from '../setup/port-client.js'
import { rowSettings } from '../setup/row-settings.js'

interface RowClientOptions {
  /** This machine's. Else it is the store's. */
  readonly clock?: VirtualClock
  readonly quarantineMs?: number
}

/** Rows in memory, in virtual time: how often they were changed, or read, and what becomes of their messages. */
export class RowPlace implements Rows {
  /** How often a client has gone to the rows. */
  changes = 0
  /** What is done with a message before it arrives. */
  carry: (message: Message, deliver: (changed?: Message) => void) => void = (_, deliver) => deliver()
  readonly #clock = new VirtualClock()
  readonly #rows = new MemoryRows(this.#clock)

  get now(): number {
    return this.#clock.now()
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms)
  }

  client(options: RowClientOptions = {}): LineClient {
    return new LineClient(this.#open(options))
  }

  readWriteClient(): ReadWriteClient {
    return new ReadWriteClient(this.#open({}))
  }

  /** What the client of that place, which stands in line, has left there to prove grants. */
  wordOf(place: Place, name: string): string {
    return this.#rows.at(exclusiveLocks, name).body.line.processes[clientOf(place)]?.word ?? ''
  }

  /** A request gets that place in line, of which its client does not know. */
  async stand(place: Place, name: string, word: string): Promise<void> {
    const stranger = this.#rows.openRows(rowSettings(this.#clock), {
      message: () => undefined,
      missed: () => undefined,
    })
    await stranger.change(exclusiveLocks, name, (draft) => {
      new ExclusiveLock(name, draft).line.stand(place, 5_000, 5_000, word)
    })
  }

  fenceOf<Body extends { readonly fence: bigint | undefined }>(
    shape: Shape<Body>,
    name: string,
  ): bigint | undefined {
    return this.#rows.at(shape, name).body.fence
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const session = this.#rows.openRows(settings, {
      message: (message) => this.carry(message, (changed = message) => listener.message(changed)),
      missed: () => listener.missed(),
    })
    return {
      ...session,
      inbox: session.inbox,
      change: (shape, name, change) => {
        this.changes += 1
        return session.change(shape, name, change)
      },
    }
  }

  #open({ clock = this.#clock, quarantineMs = 0 }: RowClientOptions): Opened {
    const clientId = randomUUID()
    const session = new RowStoreSession(this, {
      ...rowSettings(clock, { clientId }),
      quarantineMs,
      watchdogLeaseMs: WATCHDOG_MS + quarantineMs,
    })
    return { clientId, session, end: async () => undefined, errors: [] }
  }
}
