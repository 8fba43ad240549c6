import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'
import { expect, it, vi } from 'vitest'

it('a lock keeps going under fake timers', async () => {
  const holdfast = new Holdfast(new Redis(process.env.REDIS_URL, { lazyConnect: true }))
  const lock = holdfast.lock(`${process.env.LOCK_NAME}:vitest`)
  // ioredis connects by setTimeout and process.nextTick.
  expect(await lock.isLocked()).toBe(false)
  vi.useFakeTimers()
  expect(await lock.withLock(() => lock.withLock(() => lock.holdCount()))).toBe(2)
  const hold = await lock.acquire()
  await expect(lock.acquire({ waitMs: 20 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  await hold.release()
  await holdfast.close()
})
