import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Holdfast, LockTimeoutError } from 'holdfast'
import { Redis } from 'ioredis'

afterEach(() => jest.useRealTimers())

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

// Node's errors are no instances of the `Error` of Jest's realm.
it('a server that is out of reach is called so, and waited for', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  const holdfast = new Holdfast(new Redis(port, { lazyConnect: true }), { storeTimeoutMs: 100 })
  const failure = { name: 'StoreError', reason: 'unreachable', transient: true }
  await expect(holdfast.lock('x').acquire({ waitMs: 5_000 })).rejects.toMatchObject(failure)
  await holdfast.close()
})
