import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

/** As long as a process keeps a lock to itself by default, and the others sleep. */
const REST_MS = 25

/** No lock: one PING, then a rest. What a round trip costs a process whose code and data have left the caches meanwhile. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port })
  return {
    version: `ioredis ${versionOf('ioredis')}`,
    async section(_key, body) {
      await redis.ping()
      const pending = body()
      if (pending !== undefined) await pending
      await sleep(REST_MS)
    },
    close: () => redis.quit(),
  }
}
