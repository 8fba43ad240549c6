import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Guard, type StopReason } from '../../src/cli/run/guard.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'

const graceMs = 2_000
const marginMs = 1_000
/** No more than a limit below leaves for it. */
const STEP_MS = 5

describe('the guard of a running command', () => {
  let clock: VirtualClock
  let store: MemoryStore
  let holdfast: Holdfast
  let stops: Array<{ reason: StopReason; graceMs: number; atMs: number }>

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    clock = new VirtualClock()
    store = new MemoryStore(clock)
    holdfast = new Holdfast(store, { watchdogMs: 9_000 })
    stops = []
  })

  afterEach(async () => {
    await holdfast.close()
    vi.useRealTimers()
  })

  async function guarded(leaseMs?: number): Promise<Guard> {
    const startedAt = performance.now()
    const hold = await holdfast.lock('guarded').acquire(leaseMs === undefined ? {} : { leaseMs })
    return new Guard(holdfast, hold, graceMs, marginMs, (reason, graceMs) => {
      stops.push({ reason, graceMs: Math.round(graceMs), atMs: Math.round(performance.now() - startedAt) })
    })
  }

  /** The command line's own timers are the machine's, those of leases the store's. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS))
      await vi.advanceTimersByTimeAsync(Math.min(left, STEP_MS))
    }
  }

  it('says stop while the grace period and the margin fit into the lease', async () => {
    await guarded(10_000)
    await pass(6_500)
    expect(stops).toEqual([])
    await pass(500)
    expect(stops).toMatchObject([{ reason: 'lease-ending' }])
    const [{ graceMs: given, atMs } = { graceMs: 0, atMs: 0 }] = stops
    expect(given).toBeGreaterThan(graceMs - 10)
    expect(atMs + given).toBeLessThanOrEqual(10_000 - marginMs)
    await pass(10_000)
    expect(stops).toHaveLength(1)
  })

  it('is silent as long as renewals work', async () => {
    const guard = await guarded()
    await pass(120_000)
    expect(stops).toEqual([])
    guard[Symbol.dispose]()
  })

  it('says stop at once when the lock is gone, with what the lease would have left and no more than the grace', async () => {
    await guarded()
    await new Holdfast(store).lock('guarded').forceUnlock()
    await pass(3_500)
    expect(stops).toMatchObject([{ reason: 'lost', graceMs }])
    expect(stops[0]?.atMs).toBeLessThanOrEqual(3_100)
  })

  it('gives no time when the lease is found to have ended already', async () => {
    await guarded(10_000)
    // As after a sleep of the machine: the timers are late.
    await clock.advance(60_000)
    expect(stops).toMatchObject([{ graceMs: 0 }])
  })

  it('says nothing after its end', async () => {
    const guard = await guarded(10_000)
    guard[Symbol.dispose]()
    await pass(20_000)
    expect(stops).toEqual([])
    expect(guard.reason).toBeUndefined()
  })
})
