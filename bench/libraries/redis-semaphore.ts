import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

/** Changed from the defaults: `acquireTimeout` Infinity, so that it waits. Its lease is 10 s, renewed. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port })
  const patience = { acquireTimeout: Number.POSITIVE_INFINITY }
  return {
    version: versionOf('redis-semaphore'),
    async section(key, body) {
      const mutex = new Mutex(redis, key, patience)
      await mutex.acquire()
      const pending = body()
      if (pending !== undefined) await pending
      await mutex.release()
    },
    close: () => redis.quit(),
  }
}
