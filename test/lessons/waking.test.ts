/** How others' waiters missed their wake-up, woke too often, or took it from each other. */
import { afterEach, describe, expect, test } from 'vitest'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'

/** Longer than any test: a waiter that misses its wake-up fails the test by its time limit. */
const LONG_LEASE_MS = 600_000

const place = duringAll(() => PrivateServer.bring())
afterEach(() => place.tidy())

describe('wake-ups', () => {
  test('redisson#1763, #5070, #5761, #6539: between attempt, subscription and sleep no release is missed', async () => {
    const clients = [place.holdfast(), place.holdfast(), place.holdfast()]
    const rounds = 150
    let sections = 0
    const loops = clients.flatMap((holdfast) =>
      Array.from({ length: 2 }, async () => {
        for (let round = 0; round < rounds; round += 1) {
          // One that sleeps on ends here, well before a run that is merely slow.
          const hold = await holdfast.lock('ping-pong').acquire({ leaseMs: LONG_LEASE_MS, waitMs: 30_000 })
          sections += 1
          // Sometimes it is gone before the others have subscribed, sometimes long after.
          if (round % 3) await new Promise((resolve) => setImmediate(resolve))
          await hold.release()
        }
      }),
    )
    await Promise.all(loops)
    expect(sections).toBe(6 * rounds)
  }, 120_000)
})
