/** Callers of one value, and a store that does not answer, in virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import type { ComputeOnceOptions } from '../../src/recipes/compute-once/compute-once-options.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { closeAll, type End, endOf, passing } from './in-virtual-time.js'
import { storeOn } from './scripted-port.js'

const COMMAND_MS = 3_000
const STORE_TIMEOUT_MS = 10_000
const TOO_LATE = { error: { code: 'STORE_ERROR', transient: true } }

let clock: VirtualClock
let port: FallingSilent
let holdfast: Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  port = new FallingSilent(clock, COMMAND_MS)
  holdfast = new Holdfast(storeOn(clock, port, { values: port }))
})
afterEach(async () => {
  port.recover()
  await closeAll(clock, holdfast)
})

function call(compute: () => unknown = () => 'value', terms: Partial<ComputeOnceOptions> = {}, key = 'key') {
  return endOf(clock, holdfast.computeOnce(key, compute, { ttlMs: 1_000, ...terms }))
}

const calls = (count: number, key?: string): ReadonlyArray<End<unknown>> =>
  Array.from({ length: count }, () => call(undefined, {}, key))

describe('H4: one outage counts for all callers of a value', () => {
  test.each([
    ['nothing is answered', []],
    ['values are read, and the lock is not granted', ['acquire', 'abandon']],
    ['the lock is granted, and values are not read', ['read']],
  ])('%s', async (_, commands) => {
    port.fallSilent(...commands)
    const ends = calls(10)
    await clock.advance(100_000)
    for (const end of ends) {
      expect(end).toMatchObject(TOO_LATE)
      expect(end.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
    }
  })

  test('whose leader had little time', async () => {
    port.fallSilent()
    const first = call(undefined, { waitMs: 500 })
    const ends = calls(10)
    await clock.advance(100_000)
    expect(first).toMatchObject({ at: 500, error: { code: 'LOCK_TIMEOUT' } })
    for (const end of ends) expect(end.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + COMMAND_MS)
  })

  test('but no caller’s time begins before its call', async () => {
    port.fallSilent('acquire', 'abandon')
    const first = call()
    await clock.advance(9_000)
    const late = call()
    await clock.advance(8_000)
    expect(first).toMatchObject(TOO_LATE)
    expect(late).toEqual({})
    port.recover()
    await clock.advance(5_000)
    expect(late).toMatchObject({ value: 'value' })
  })

  test('of a caller that leads late, the time counts from its call', async () => {
    port.fallSilent('acquire', 'abandon')
    call()
    await clock.advance(9_000)
    const late = call()
    await clock.advance(60_000)
    expect(late).toMatchObject(TOO_LATE)
    expect(late.at).toBeGreaterThanOrEqual(9_000 + STORE_TIMEOUT_MS)
    expect(late.at).toBeLessThanOrEqual(9_000 + STORE_TIMEOUT_MS + COMMAND_MS)
  })
})

test('faults D4: a store that fails for a moment costs nobody his call', async () => {
  for (const blips of [1, 2, 3]) {
    port.blips = blips
    const ends = calls(3, `key ${blips}`)
    await clock.advance(STORE_TIMEOUT_MS)
    for (const end of ends) expect(end).toMatchObject({ value: 'value' })
  }
})

test('faults D4: a caller that does not wait is told at once', async () => {
  port.blips = 1
  const end = call(undefined, { waitMs: 0 })
  await clock.advance(0)
  expect(end).toMatchObject({ at: 0, ...TOO_LATE })
})

test('a computation that takes long and fails of a store is no outage of this one', async () => {
  const first = call(async (): Promise<never> => {
    await passing(clock, 30_000)
    throw new StoreError('timeout', 'other', { transient: true })
  })
  const waiting = call()
  await clock.advance(31_000)
  for (const end of [first, waiting]) expect(end).toMatchObject({ at: 30_000, error: { command: 'other' } })
  const next = call()
  await clock.advance(0)
  expect(next).toMatchObject({ at: 31_000, value: 'value' })
})

test('a lease that is over before its grant has come is no outage, for callers that asked for a longer one', async () => {
  const answer = port.acquire.bind(port)
  port.acquire = async (request) => {
    await passing(clock, 60)
    return await answer(request)
  }
  const first = call(undefined, { leaseMs: 50 })
  const next = call()
  await clock.advance(20_000)
  expect(first).toMatchObject(TOO_LATE)
  expect(next).toMatchObject({ value: 'value' })
})
