import { Holdfast, LockTimeoutError } from 'holdfast'
import { Redis } from 'ioredis'

it('a lock on ioredis keeps going under fake timers', async () => {
  const holdfast = new Holdfast(new Redis(process.env.REDIS_URL ?? '', { lazyConnect: true }))
  const lock = holdfast.lock(`${process.env.LOCK_NAME}:ioredis`)
  // ioredis connects by process.nextTick.
  expect(await lock.isLocked()).toBe(false)
  jest.useFakeTimers()
  expect(await lock.withLock(() => lock.withLock(() => lock.holdCount()))).toBe(2)
  const hold = await lock.acquire()
  await expect(lock.acquire({ waitMs: 20 })).rejects.toBeInstanceOf(LockTimeoutError)
  await hold.release()
  await holdfast.close()
})
