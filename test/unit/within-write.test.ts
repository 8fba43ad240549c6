/** A read that waits when its owner's write begins is made within that write from then on: it waits for nobody any more. */
import { expect, test } from 'vitest'
import { duringEach } from '../setup/during.js'
import { endOf } from './in-virtual-time.js'
import { Processes } from './processes.js'

const processes = duringEach(() => new Processes())

test('O2: nor for another owner’s call that came before it', async () => {
  const { clock } = processes
  const [here, elsewhere] = [processes.holdfast(), processes.holdfast()]
  const lock = here.readWriteLock('lock')
  const before = await elsewhere.readWriteLock('lock').writeLock().acquire()
  const owner = here.owner()
  const writing = lock.writeLock().acquire({ owner })
  await clock.advance(10)
  const other = lock.readLock().acquire({ owner: here.owner() })
  await clock.advance(10)
  const read = endOf(clock, lock.readLock().acquire({ owner }))
  await clock.advance(10)
  await before.release()
  const write = await writing
  await clock.advance(10)
  expect(read.value).toBeDefined()
  await read.value?.release()
  await write.release()
  await (await other).release()
  expect(await lock.writeLock().isLocked()).toBe(false)
})
