/** Calls of one process for one value that do not ask for the same, and a store that is far away, in virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import type { ComputeOnceOptions } from '../../src/recipes/compute-once/compute-once-options.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FarRows } from '../liveness/far-rows.js'
import { Network } from '../liveness/network.js'
import { closeAll, endOf, passing } from './in-virtual-time.js'

const TTL_MS = 100

let clock: VirtualClock
let network: Network
let rows: FarRows
let one: Holdfast
let other: Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  network = new Network(clock)
  rows = new FarRows(network)
  one = new Holdfast(rows)
  other = new Holdfast(rows)
})
afterEach(() => closeAll(clock, one, other))

function call(terms: Partial<ComputeOnceOptions>, compute: () => unknown = () => 'new') {
  return endOf(clock, one.computeOnce('key', compute, { ttlMs: TTL_MS, ...terms }))
}

/** A value that has been stale for a while. */
async function keptStale(): Promise<void> {
  const first = call({ staleMs: 60_000 }, () => 'old')
  await clock.advance(200)
  expect(first).toMatchObject({ value: 'old' })
}

async function slow(): Promise<string> {
  await passing(clock, 5_000)
  return 'new'
}

describe('a call that accepts a stale value gets it at once beside one that does not', () => {
  test('and computes', async () => {
    await keptStale()
    const strict = call({}, slow)
    await clock.advance(10)
    const lax = call({ staleMs: 60_000 })
    await clock.advance(0)
    expect(lax).toMatchObject({ at: 210, value: 'old' })
    await clock.advance(5_000)
    expect(strict).toMatchObject({ value: 'new' })
  })

  test('and waits for another process', async () => {
    await keptStale()
    const holding = other.lock('once:key').acquire()
    await clock.advance(0)
    const hold = await holding
    const strict = call({ staleMs: 50 })
    await clock.advance(10)
    const lax = call({ staleMs: 60_000, waitMs: 1_000 })
    await clock.advance(2_000)
    expect(lax).toMatchObject({ at: 210, value: 'old' })
    expect(strict).toEqual({})
    void hold.release()
    await clock.advance(10)
    expect(strict).toMatchObject({ value: 'new' })
  })

  test('for as long as the value is not too old, by the time since it was read', async () => {
    await keptStale()
    call({}, slow)
    await clock.advance(1_000)
    const [lax, lessLax] = [call({ staleMs: 1_101 }), call({ staleMs: 1_100 })]
    await clock.advance(10)
    expect(lax).toMatchObject({ at: 1_200, value: 'old' })
    expect(lessLax).toEqual({})
    await clock.advance(5_000)
    expect(lessLax).toMatchObject({ value: 'new' })
  })
})

test('a call that accepts no stale value gets none from one that found it under the lock', async () => {
  const storing = other.computeOnce('key', slow, { ttlMs: TTL_MS, staleMs: 60_000 })
  await clock.advance(10)
  const [lax, strict] = [call({ staleMs: 60_000 }, () => 'unused'), call({}, () => 'newer')]
  await clock.advance(1_000)
  const [far] = rows.clients
  network.journey = (client) => (client === far ? { there: 2 * TTL_MS } : {})
  await clock.advance(20_000)
  expect(await storing).toBe('new')
  expect(lax).toMatchObject({ value: 'new' })
  expect(strict).toMatchObject({ value: 'newer' })
})

describe('H4: however short its wait, a call waits 100 ms for the store’s first answer', () => {
  beforeEach(() => {
    network.journey = () => ({ there: 20, back: 20 })
  })

  test.each([0, 10, 100])('waitMs %i', async (waitMs) => {
    const first = call({ ttlMs: 100_000 })
    await clock.advance(1_000)
    expect(first).toMatchObject({ value: 'new' })
    const ends = [call({ waitMs }), call({ waitMs }), call({ waitMs })]
    await clock.advance(1_000)
    for (const end of ends) expect(end).toMatchObject({ at: 1_040, value: 'new' })
  })

  test('and no longer for a value that another computes', async () => {
    call({}, slow)
    const ends = [call({ waitMs: 0 }), call({ waitMs: 10 })]
    await clock.advance(1_000)
    for (const end of ends) expect(end).toMatchObject({ at: 40, error: { code: 'LOCK_TIMEOUT' } })
  })

  test('nor after that for a store that is silent', async () => {
    network.journey = () => ({ there: 3_000 })
    call({})
    const end = call({ waitMs: 10 })
    await clock.advance(1_000)
    expect(end).toMatchObject({ at: 100, error: { code: 'LOCK_TIMEOUT' } })
  })

  test('a call that makes one attempt shares the failure of the one that asked for all', async () => {
    const refused = new StoreError('timeout', 'read', { transient: true })
    network.journey = () => ({ there: 3_000, refused })
    const ends = [call({ waitMs: 0 }), call({ waitMs: 0 }), call({ waitMs: 0 })]
    await clock.advance(20_000)
    for (const end of ends) expect(end).toMatchObject({ at: 3_000, error: { code: 'STORE_ERROR' } })
  })
})
