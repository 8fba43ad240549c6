/** Grants in the line of a row: when a client believes what it is told of one, and what becomes of those that it cannot use. */
import { beforeEach, describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { Place } from '../../src/stores/line/place.js'
import { exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { readWriteLocks } from '../../src/stores/rows/read-write-lock.js'
import { type LineClient, WATCHDOG_MS } from '../setup/port-client.js'
import { RowPlace } from './row-place.js'

let place: RowPlace
let name: string
let holder: LineClient
let waiter: LineClient
let other: LineClient

beforeEach(() => {
  place = new RowPlace()
  name = 'row'
  ;[holder, waiter, other] = [place.client(), place.client(), place.client()]
})

/** What a step has cost. */
async function changesIn(step: () => Promise<unknown>): Promise<number> {
  const before = place.changes
  await step()
  return place.changes - before
}

describe.each(['lock', 'fenced', 'fair'] as const)('%s', (kind) => {
  test('what was told is believed without a look at the row, with the lease it has', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
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
    expect(await waiter.ports[kind].renew([{ name, owner: next, leaseMs: WATCHDOG_MS }])[0]).toBe(true)
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
    await waiter.release(kind, name, next)
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test('X1, L3: a hand-over that comes twice leaves the whole lease, from the second one on', async () => {
    const from = await holder.take(kind, name)
    const request = { name, from, owner: holder.owner(), heldBefore: 0, leaseMs: 10_000 }
    expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
    await place.pass(4_000)
    expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
    expect(await holder.remainingMs(name)).toBe(10_000)
  })

  test('it is believed once', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    await waiter.enters(kind, name, next)
    await waiter.abandon(kind, name, next)
    const again = await holder.take(kind, name)
    await waiter.refused(kind, name, next)
    await holder.release(kind, name, again)
  })

  test('after half of its lease the row is asked, and the lease set anew', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    await waiter.hears(`${kind} ${next}`)
    await place.pass(2_500)
    expect((await waiter.granted(kind, name, next)).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
  })

  test('a client that does not take over loses it with the lease of the grant: the next in line has it', async () => {
    const first = await holder.take(kind, name)
    const stopped = await waiter.joinLine(kind, name)
    const next = await other.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    await waiter.hears(`${kind} ${stopped}`)
    await place.pass(4_999)
    await other.refused(kind, name, next)
    await place.pass(1)
    await other.granted(kind, name, next)
    await waiter.refused(kind, name, stopped)
  })

  test('so does one that took over and stopped then, and it counts as away', async () => {
    const first = await holder.take(kind, name)
    const stopped = await waiter.joinLine(kind, name)
    const next = await other.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    await waiter.enters(kind, name, stopped)
    const [renewed] = waiter.ports[kind].renew([{ name, owner: stopped, leaseMs: 6_000 }])
    expect(await renewed).toBe(true)
    await place.pass(6_000)
    await other.granted(kind, name, next)
    expect(await waiter.release(kind, name, stopped)).toBe('not-owner')
  })

  test('who gave up before it heard gives it back, with one change, and the next has it', async () => {
    const first = await holder.take(kind, name)
    const gone = await waiter.joinLine(kind, name)
    const next = await other.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    expect(await changesIn(() => waiter.abandon(kind, name, gone))).toBe(1)
    await other.enters(kind, name, next)
    await waiter.refused(kind, name, gone)
  })

  test('what is granted to a place that its call had left is given back, with one change', async () => {
    const first = await holder.take(kind, name)
    const gone = await waiter.joinLine(kind, name)
    const itsPlace: Place = kind === 'fenced' ? `f:${gone}` : `x:${gone}`
    const word = place.wordOf(itsPlace, name)
    await waiter.abandon(kind, name, gone)
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
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await waiter.abandon(kind, name, next)
    await waiter.refused(kind, name, next)
    await place.pass(1)
    const late: Array<() => void> = []
    place.carry = (_, deliver) => late.push(deliver)
    await holder.release(kind, name, first)
    await waiter.granted(kind, name, next)
    waiter.stopListening()
    expect(late.length).toBe(1)
    for (const deliver of late) deliver()
    await place.pass(1)
    expect(await holder.holders('lock', name)).toEqual([next])
  })

  test('faults A3: of a grant that is not proven the row is asked', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    place.carry = (message, deliver) =>
      deliver({ ...message, text: message.text.replace(/^\w+/, '0'.repeat(64)) })
    await holder.release(kind, name, first)
    const { granted } = await waiter.granted(kind, name, next)
    expect(waiter.heard).toHaveLength(1)
    expect(granted).toBeUndefined()
    expect(await holder.holders('lock', name)).toEqual([next])
  })

  test('where the message was not heard the row is asked, which has the grant', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    place.carry = () => undefined
    await holder.release(kind, name, first)
    await place.pass(1)
    expect(waiter.heard).toEqual([])
    const { granted } = await waiter.granted(kind, name, next)
    expect(granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(WATCHDOG_MS)
  })

  test('an explicit lease, and one with a quarantine, are set by a change, exactly as they were asked for', async () => {
    const first = await holder.take(kind, name)
    const long = await waiter.joinLine(kind, name)
    const careful = place.client({ quarantineMs: 700 })
    const quarantined = await careful.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    expect((await waiter.enters(kind, name, long, { leaseMs: 60_000 })).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(60_000)
    await waiter.release(kind, name, long)
    const leaseMs = WATCHDOG_MS + 700
    expect((await careful.enters(kind, name, quarantined, { leaseMs })).granted).toBeUndefined()
    expect(await waiter.remainingMs(name)).toBe(leaseMs)
  })

  test('a nested hold is counted in the row', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    await holder.release(kind, name, first)
    await waiter.enters(kind, name, next)
    await waiter.granted(kind, name, next, { heldBefore: 1 })
    expect(await waiter.release(kind, name, next, 2)).toBe('still-held')
    expect(await waiter.release(kind, name, next)).toBe('released')
  })

  test('#1104 the clock of a client does not count: its leases are its own time', async () => {
    const clock = new VirtualClock()
    const ahead = place.client({ clock })
    await clock.advance(7_200_000)
    const first = await holder.take(kind, name)
    const next = await ahead.joinLine(kind, name)
    await Promise.all([place.pass(300), clock.advance(300)])
    await holder.release(kind, name, first)
    await ahead.hears(`${kind} ${next}`)
    await Promise.all([place.pass(20), clock.advance(20)])
    const { granted } = await ahead.granted(kind, name, next)
    const since = clock.now() - (granted?.since ?? 0)
    expect(since).toBeGreaterThanOrEqual(20)
    // A hundredth of the time since it last heard what the time is.
    expect(since).toBeLessThan(24)
  })

  test('a message about an earlier grant is not believed', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await place.pass(1)
    const late: Array<() => void> = []
    place.carry = (_, deliver) => late.push(deliver)
    await holder.release(kind, name, first)
    await waiter.granted(kind, name, next)
    await waiter.release(kind, name, next)
    await place.pass(1)
    const second = await holder.take(kind, name)
    await waiter.refused(kind, name, next)
    for (const deliver of late) deliver()
    await waiter.hears(`${kind} ${next}`)
    await waiter.refused(kind, name, next)
    await holder.release(kind, name, second)
  })
})

describe('read-write', () => {
  test('readers that are let in together, and the writer behind them, take over without a look at the row', async () => {
    const [one, two] = [place.readWriteClient(), place.readWriteClient()]
    const writing = one.owner()
    await one.granted('write', name, writing)
    const readers = [two.owner(), two.owner()]
    const writer = two.owner()
    for (const side of ['read', 'write'] as const) await two.listen(side, name)
    for (const reader of readers) await two.refused('read', name, reader)
    await two.refused('write', name, writer)
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
