import { Redis } from 'ioredis'
import { createLock, IoredisAdapter } from 'redlock-universal'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

type UniversalLock = ReturnType<typeof createLock>

/** Changed from the defaults: `retryAttempts` as many as it takes, so that it waits. Its lease is 30 s. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port })
  const adapter = new IoredisAdapter(redis)
  const locks = new Map<string, UniversalLock>()
  const lockOf = (key: string): UniversalLock => {
    const known = locks.get(key)
    if (known !== undefined) return known
    const lock = createLock({ adapter, key, retryAttempts: Number.MAX_SAFE_INTEGER })
    locks.set(key, lock)
    return lock
  }
  return {
    version: versionOf('redlock-universal'),
    async section(key, body) {
      const lock = lockOf(key)
      const handle = await lock.acquire()
      const pending = body()
      if (pending !== undefined) await pending
      await lock.release(handle)
    },
    close: () => redis.quit(),
  }
}
