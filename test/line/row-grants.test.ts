/** Grants in the line of a row: when a client believes what it is told of one, and what becomes of those that it cannot use. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { StoreSettings } from '../../src/port/store.js'
import { clientOf, type Place } from '../../src/stores/line/place.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { readWriteLocks } from '../../src/stores/rows/read-write-lock.js'
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
class RowPlace implements Rows {
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

const name = 'row'
let place: RowPlace
let holder: LineClient
let waiter: LineClient
let other: LineClient

beforeEach(() => {
  place = new RowPlace()
  ;[holder, waiter, other] = [place.client(), place.client(), place.client()]
})

/** What a step has cost. */
async function changesIn(step: () => Promise<unknown>): Promise<number> {
  const before = place.changes
  await step()
  return place.changes - before
}

describe.each(['lock', 'fenced', 'fair'] as const)('%s', (kind) => {
  let first: Owner
  let next: Owner
  beforeEach(async () => {
    first = await holder.take(kind, name)
    next = await waiter.joinLine(kind, name)
  })

  /** A moment later the lock is the next one's, whatever it has heard of that. */
  async function release(): Promise<void> {
    await place.pass(1)
    await holder.release(kind, name, first)
  }

  test('what was told is believed without a look at the row, with the lease it has', async () => {
    await place.pass(40)
    await holder.release(kind, name, first)
    await waiter.hears(`${kind} ${next}`)
    await place.pass(7)
    const before = place.changes
    const { granted, fence } = await waiter.granted(kind, name, next)
    expect(place.changes).toBe(before)
    expect(granted?.leaseMs).toBe(5_000)
    expect(fence).toBe(kind === 'fenced' ? place.fenceOf(exclusiveLocks, name) : undefined)
    if (kind === 'fenced') expect(fence).toBeDefined()
    // Believed to begin before it did, by so much as the clocks may have run apart meanwhile.
    const since = (granted?.since ?? 0) - place.now
    expect(since).toBeLessThanOrEqual(-7)
    expect(since).toBeGreaterThan(-8)
    expect(await waiter.renew(kind, name, next)).toBe(true)
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
    await waiter.release(kind, name, next)
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test('X1, L3: a hand-over that comes twice leaves the whole lease, from the second one on', async () => {
    const request = { name, from: first, owner: holder.owner(), heldBefore: 0, leaseMs: 10_000 }
    expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
    await place.pass(4_000)
    expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
    expect(await holder.remainingMs(name)).toBe(10_000)
  })

  test('a client that does not take over loses it with the lease of the grant: the next in line has it', async () => {
    const behind = await other.joinLine(kind, name)
    await release()
    await waiter.hears(`${kind} ${next}`)
    await place.pass(4_999)
    await other.refused(kind, name, behind)
    await place.pass(1)
    await other.granted(kind, name, behind)
    await waiter.refused(kind, name, next)
  })

  test('who gave up before it heard gives it back, with one change, and the next has it', async () => {
    const behind = await other.joinLine(kind, name)
    await release()
    expect(await changesIn(() => waiter.abandon(kind, name, next))).toBe(1)
    await other.enters(kind, name, behind)
    await waiter.refused(kind, name, next)
  })

  test('what is granted to a place that its call had left is given back, with one change', async () => {
    const itsPlace: Place = kind === 'fenced' ? `f:${next}` : `x:${next}`
    const word = place.wordOf(itsPlace, name)
    await waiter.abandon(kind, name, next)
    waiter.stopListening()
    await place.pass(1)
    // A late copy of its request.
    await place.stand(itsPlace, name, word)
    const changes = await changesIn(async () => {
      await holder.release(kind, name, first)
      await place.pass(0)
    })
    // The release is one of them.
    expect(changes).toBe(2)
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test('what its owner has asked for is its own, however late the message comes', async () => {
    await waiter.abandon(kind, name, next)
    await waiter.refused(kind, name, next)
    const late: Array<() => void> = []
    place.carry = (_, deliver) => late.push(deliver)
    await release()
    await waiter.granted(kind, name, next)
    waiter.stopListening()
    expect(late.length).toBe(1)
    for (const deliver of late) deliver()
    await place.pass(1)
    expect(await holder.holders('lock', name)).toEqual([next])
  })

  test('faults A3: of a grant that is not proven the row is asked', async () => {
    place.carry = (message, deliver) =>
      deliver({ ...message, text: message.text.replace(/^\w+/, '0'.repeat(64)) })
    await release()
    const { granted } = await waiter.granted(kind, name, next)
    expect(waiter.heard).toHaveLength(1)
    expect(granted).toBeUndefined()
    expect(await holder.holders('lock', name)).toEqual([next])
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
  })

  test('an explicit lease, and one with a quarantine, are set by a change, exactly as they were asked for', async () => {
    const careful = place.client({ quarantineMs: 700 })
    const quarantined = await careful.joinLine(kind, name)
    await release()
    expect((await waiter.enters(kind, name, next, { leaseMs: 60_000 })).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(60_000)
    await waiter.release(kind, name, next)
    const leaseMs = WATCHDOG_MS + 700
    expect((await careful.enters(kind, name, quarantined, { leaseMs })).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(leaseMs)
  })

  test('#1104 the clock of a client does not count: its leases are its own time', async () => {
    await waiter.abandon(kind, name, next)
    const clock = new VirtualClock()
    const ahead = place.client({ clock })
    await clock.advance(7_200_000)
    const itsOwn = await ahead.joinLine(kind, name)
    await Promise.all([place.pass(300), clock.advance(300)])
    await holder.release(kind, name, first)
    await ahead.hears(`${kind} ${itsOwn}`)
    await Promise.all([place.pass(20), clock.advance(20)])
    const { granted } = await ahead.granted(kind, name, itsOwn)
    const since = clock.now() - (granted?.since ?? 0)
    expect(since).toBeGreaterThanOrEqual(20)
    // A hundredth of the time since it last heard what the time is.
    expect(since).toBeLessThan(24)
  })
})

describe('read-write', () => {
  test('readers that are let in together, and the writer behind them, take over without a look at the row', async () => {
    const [one, two] = [place.readWriteClient(), place.readWriteClient()]
    const writing = await one.take('write', name)
    const readers = [await two.joinLine('read', name), await two.joinLine('read', name)]
    const writer = await two.joinLine('write', name)
    await place.pass(3)
    await one.release('write', name, writing)
    await place.pass(0)
    const believed = { granted: { leaseMs: 5_000 } }
    const reading = async (): Promise<void> => {
      for (const reader of readers) expect(await two.enters('read', name, reader)).toMatchObject(believed)
    }
    expect(await changesIn(reading)).toBe(0)
    await place.pass(1)
    for (const reader of readers) await two.release('read', name, reader)
    const fence = place.fenceOf(readWriteLocks, name)
    const writes = async (): Promise<void> => {
      expect(await two.enters('write', name, writer)).toMatchObject({ ...believed, fence })
    }
    expect(await changesIn(writes)).toBe(0)
    expect(await two.release('write', name, writer)).toBe('released')
  })
})
