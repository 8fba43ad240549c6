/** A client that was idle for longer than its session lasts: it begins another one, and nothing of the old one stands in its way. */
import { afterEach, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { Ensemble } from '../../src/stores/memory-session/ensemble.js'
import { MemorySessionStore } from '../../src/stores/memory-session/store.js'

const clock = new VirtualClock()
const ensemble = new Ensemble(clock)
const holdfast = new Holdfast(new MemorySessionStore(ensemble), { watchdogMs: 9_000 })
afterEach(() => holdfast.close())

test('S4: a client whose session ended while it was idle takes its next lock at once, and leaves nothing in line', async () => {
  const lock = holdfast.lock('door')
  for (const idleMs of [0, 5_000, 8_950, 9_500, 60_000]) {
    await clock.advance(idleMs)
    const hold = await lock.acquire({ waitMs: 0 })
    expect(hold.remainingMs()).toBeGreaterThan(2_000)
    await hold.release()
    expect(ensemble.locks, `after ${idleMs} ms`).toEqual([])
  }
})
