/** node-redlock#168 once more: a busy lock must not be told as a store that failed. */
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { WaywardStore } from '../quorum/wayward-store.js'

test('node-redlock#168: a wait that ends with an attempt under way is busy, where the store has answered before', async () => {
  const clock = new VirtualClock()
  const memory = new MemoryStore(clock)
  const holding = new Holdfast(memory)
  const line = new WaywardStore(memory, 'slow')
  line.delayMs = 20
  const asking = new Holdfast(line)
  const hold = await holding.lock('busy').acquire()
  const outcome = asking.lock('busy').tryAcquire({ waitMs: 100 })
  await clock.advance(90)
  // Announced 10 ms before the end: the attempt this sets off is not answered in time.
  await hold.release()
  await clock.advance(10)
  expect(await outcome).toBeNull()
  // Being late, it was given back.
  await clock.advance(1_000)
  expect(await holding.lock('busy').isLocked()).toBe(false)
  expect(asking.census).toMatchObject({ calls: 0, tenures: 0, watched: 0, orphans: 0 })
  await Promise.all([holding.close(), asking.close()])
})
