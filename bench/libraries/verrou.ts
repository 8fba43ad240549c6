import { Verrou } from '@verrou/core'
import { redisStore } from '@verrou/core/drivers/redis'
import { Redis } from 'ioredis'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

/** Defaults throughout: it waits for as long as it takes; its lease is 30 s, not renewed. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port })
  const verrou = new Verrou({
    default: 'redis',
    stores: { redis: { driver: redisStore({ connection: redis }) } },
  })
  return {
    version: versionOf('@verrou/core'),
    async section(key, body) {
      const lock = verrou.createLock(key)
      if (!(await lock.acquire())) throw new Error('verrou did not acquire')
      const pending = body()
      if (pending !== undefined) await pending
      await lock.release()
    },
    close: () => redis.quit(),
  }
}
