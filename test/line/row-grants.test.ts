/** Grants in the line of a row: when a client believes what it is told of one, and what becomes of those that it cannot use. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { Place } from '../../src/stores/line/place.js'
import { exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { readWriteLocks } from '../../src/stores/rows/read-write-lock.js'
import { type LineClient, WATCHDOG_MS } from '../setup/port-client.js'
import { RowPlace } from './row-place.js'

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

  test('after half of its lease the row is asked, and the lease set anew', async () => {
    await release()
    await waiter.hears(`${kind} ${next}`)
    await place.pass(2_500)
    expect((await waiter.granted(kind, name, next)).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
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
