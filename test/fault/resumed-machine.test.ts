import { afterEach, describe, expect, test, vi } from 'vitest'
import { machineTime } from '../../src/base/time/machine-time.js'
import { Holdfast, LockLostError } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

/** A third of it is ten seconds: what was due meanwhile came as late. */
const WATCHDOG_MS = 30_000
/** More than a busy machine needs for what is to happen at once or within a second. */
const SOON_MS = 5_000

/** The wall clock goes on from there; the monotonic one has not noticed anything. */
function wallClockAt(offsetMs: number): void {
  vi.restoreAllMocks()
  const now = machineTime.wallMs
  vi.spyOn(machineTime, 'wallMs').mockImplementation(() => now() + offsetMs)
}

describe('a machine whose wall clock has jumped', () => {
  const clients: Holdfast[] = []
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((holdfast) => holdfast.close()))
    vi.restoreAllMocks()
  })

  function holdfastWith(): Holdfast {
    const holdfast = new Holdfast(new MemoryStore(), { watchdogMs: WATCHDOG_MS })
    clients.push(holdfast)
    return holdfast
  }

  test('H11: a lock that was lost while it slept is told at once, though nobody asks', async () => {
    const hold = await holdfastWith().lock('job').acquire()
    const aborted = new Promise((resolve) => hold.signal.addEventListener('abort', resolve))
    const resumedAt = performance.now()
    wallClockAt(3_600_000)
    await aborted
    expect(performance.now() - resumedAt).toBeLessThan(SOON_MS)
    expect(hold.signal.reason).toBeInstanceOf(LockLostError)
  })

  test('H11: a short wait after that is short', async () => {
    const holdfast = holdfastWith()
    const far = await holdfast.lock('job').acquire()
    // Past what was due next, short of the end of the lease.
    wallClockAt(11_000)
    const askedAt = performance.now()
    expect(await holdfast.lock('job').tryAcquire({ waitMs: 200 })).toBeNull()
    expect(performance.now() - askedAt).toBeLessThan(SOON_MS)
    await far.release()
  })

  test('H11: a wall clock set back and forward again costs no lock', async () => {
    const hold = await holdfastWith().lock('job').acquire()
    wallClockAt(-3_600_000)
    hold.assertHeld()
    wallClockAt(0)
    hold.assertHeld()
    await hold.release()
  })
})
