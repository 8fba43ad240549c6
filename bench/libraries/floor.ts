import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

const LEASE_MS = 10_000
const POLL_MS = 10
const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

/**
 * The floor: the least that is a lock on one server, over raw ioredis. `SET NX PX` with a token, a script by its hash that deletes
 * what has that token; whoever finds it taken looks again every 10 ms.
 */
export const open: Open = async ({ host, port }) => {
  const redis = new Redis({ host, port })
  const hash = String(await redis.script('LOAD', RELEASE))
  const client = randomUUID()
  let count = 0
  return {
    version: `ioredis ${versionOf('ioredis')}`,
    async section(key, body) {
      count += 1
      const token = `${client}:${count}`
      while ((await redis.set(key, token, 'PX', LEASE_MS, 'NX')) !== 'OK') await sleep(POLL_MS)
      const pending = body()
      if (pending !== undefined) await pending
      await redis.evalsha(hash, 1, key, token)
    },
    close: () => redis.quit(),
  }
}
