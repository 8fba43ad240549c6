/** What others got wrong about how long a lock is held. */
import { afterEach, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import type { Lock } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

/** Blocks the event loop, as a debugger's breakpoint or a long computation does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('BullMQ#3183: a loop that is blocked for less than the lease loses nothing', async () => {
  const holdfast = place.holdfast({ watchdogMs: 3_000 })
  const hold = await holdfast.lock(place.lockName()).acquire()
  const renewals = journalOf(holdfast, 'renewed')
  for (let times = 0; times < 4; times += 1) {
    block(800)
    await place.eventually(() => renewals.length > times)
    hold.assertHeld()
  }
  await hold.release()
})

test.each([
  ['acquire', (lock: Lock) => lock.acquire({ waitMs: 50 })],
  ['tryAcquire', (lock: Lock) => lock.tryAcquire()],
  ['isLocked', (lock: Lock) => lock.isLocked()],
])(
  'BullMQ#3056: a reply that was there in time counts, however late the event loop gets to it: %s',
  async (_, ask) => {
    const holdfast = place.holdfast({ commandTimeoutMs: 200 })
    await holdfast.lock(place.lockName()).withLock(() => undefined)
    await holdfast.lock(place.lockName()).isLocked()
    const asking = ask(holdfast.lock(place.lockName()))
    // Everything is sent that is to be sent: no turn of the loop is needed for that.
    for (let step = 0; step < 50; step += 1) await Promise.resolve()
    block(600)
    const answer = await asking
    if (typeof answer === 'boolean') return expect(answer).toBe(false)
    answer?.assertHeld()
    await answer?.release()
  },
)
