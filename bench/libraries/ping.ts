import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

/** No lock: one PING a section, which is the round trip that everything else is made of; then a rest, if any. */
export function pinging(restMs: number): Open {
  return ({ host, port }) => {
    const redis = new Redis({ host, port })
    return {
      version: `ioredis ${versionOf('ioredis')}`,
      async section(_key, body) {
        await redis.ping()
        const pending = body()
        if (pending !== undefined) await pending
        if (restMs > 0) await sleep(restMs)
      },
      close: () => redis.quit(),
    }
  }
}

export const open: Open = pinging(0)
