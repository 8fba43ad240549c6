import { Redis } from 'ioredis'
import Redlock from 'redlock-4'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

const LEASE_MS = 10_000

/** Changed from the defaults: `retryCount` -1, so that it waits. It has no default lease: 10 s. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port })
  const redlock = new Redlock([redis], { retryCount: -1 })
  return {
    version: versionOf('redlock-4'),
    async section(key, body) {
      const lock = await redlock.lock(key, LEASE_MS)
      const pending = body()
      if (pending !== undefined) await pending
      await lock.unlock()
    },
    close: () => redis.quit(),
  }
}
