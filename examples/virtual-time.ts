/* Unit tests of code that uses locks: no server, and hours pass in an instant. Run it with `node --test`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Holdfast, LockTimeoutError } from 'holdfast'
import { MemoryStore, VirtualClock } from 'holdfast/memory'

/** The code under test: gives up after a minute. */
async function importOrders(holdfast: Holdfast): Promise<'imported' | 'busy'> {
  try {
    return await holdfast.lock('orders').withLock({ waitMs: 60_000 }, () => 'imported' as const)
  } catch (error) {
    if (error instanceof LockTimeoutError) return 'busy'
    throw error
  }
}

test('gives up after a minute', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  // Two clients of one store behave like two processes on one server.
  const hold = await new Holdfast(store).lock('orders').acquire()
  const outcome = importOrders(new Holdfast(store))
  await clock.advance(60_000)
  assert.equal(await outcome, 'busy')
  // The watchdog has renewed it all the time.
  hold.assertHeld()
})

test('goes on when the lease of a crashed holder ends', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  await new Holdfast(store).lock('orders').acquire({ leaseMs: 30_000 })
  const outcome = importOrders(new Holdfast(store))
  await clock.advance(30_000)
  assert.equal(await outcome, 'imported')
})
