/** A read that waits when its owner's write begins is made within that write from then on: it waits for nobody any more. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'

let clock: VirtualClock
let made: Holdfast[]
let client: () => Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  const store = new MemoryStore(clock)
  made = []
  client = () => {
    const holdfast = new Holdfast(store)
    made.push(holdfast)
    return holdfast
  }
})
afterEach(() => Promise.all(made.map((holdfast) => holdfast.close())))

test('O2: nor for another owner’s call that came before it', async () => {
  const [here, elsewhere] = [client(), client()]
  const [lock, before] = [
    here.readWriteLock('lock'),
    await elsewhere.readWriteLock('lock').writeLock().acquire(),
  ]
  const owner = here.owner()
  const writing = lock.writeLock().acquire({ owner })
  await clock.advance(10)
  const other = lock.readLock().acquire({ owner: here.owner() })
  await clock.advance(10)
  let reading = false
  const read = lock
    .readLock()
    .acquire({ owner })
    .finally(() => {
      reading = true
    })
  await clock.advance(10)
  await before.release()
  const write = await writing
  await clock.advance(10)
  expect(reading).toBe(true)
  await (await read).release()
  await write.release()
  await (await other).release()
  expect(await lock.writeLock().isLocked()).toBe(false)
})
