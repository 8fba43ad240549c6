import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Guard, type StopReason } from '../../src/cli/guard.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/memory/index.js'

const graceMs = 2_000
const marginMs = 1_000

interface Stop {
  readonly reason: StopReason
  readonly graceMs: number
  readonly atMs: number
}

describe('the guard of a running command', () => {
  let store: MemoryStore
  let holdfast: Holdfast
  let stops: Stop[]

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    store = new MemoryStore()
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

  it('says stop while the grace period and the margin fit into the lease', async () => {
    await guarded(10_000)
    await vi.advanceTimersByTimeAsync(6_500)
    expect(stops).toEqual([])
    await vi.advanceTimersByTimeAsync(500)
    expect(stops).toEqual([{ reason: 'lease-ending', graceMs: expect.any(Number), atMs: expect.any(Number) }])
    const [{ graceMs: given, atMs } = { graceMs: 0, atMs: 0 }] = stops
    expect(given).toBeGreaterThan(graceMs - 10)
    expect(atMs + given).toBeLessThanOrEqual(10_000 - marginMs)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(stops).toHaveLength(1)
  })

  it('is silent as long as renewals work', async () => {
    const guard = await guarded()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(stops).toEqual([])
    guard[Symbol.dispose]()
  })

  it('says stop at once when the lock is gone, with what the lease would have left and no more than the grace', async () => {
    await guarded()
    await new Holdfast(store).lock('guarded').forceUnlock()
    await vi.advanceTimersByTimeAsync(3_500)
    expect(stops).toMatchObject([{ reason: 'lost', graceMs }])
    expect(stops[0]?.atMs).toBeLessThanOrEqual(3_100)
  })

  it('gives no time when the lease is found to have ended already', async () => {
    await guarded(10_000)
    // As after a sleep of the machine: all timers late, all at once.
    vi.setSystemTime(Date.now() + 60_000)
    await vi.advanceTimersByTimeAsync(7_000)
    expect(stops).toMatchObject([{ graceMs: 0 }])
  })

  it('says nothing after its end', async () => {
    const guard = await guarded(10_000)
    guard[Symbol.dispose]()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(stops).toEqual([])
    expect(guard.reason).toBeUndefined()
  })
})
