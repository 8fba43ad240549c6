import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

const LEASE_MS = 10_000
const TAKE = `if redis.call('set', KEYS[1], ARGV[1], 'PX', ${LEASE_MS}, 'NX') then return 1 end return redis.call('rpush', KEYS[2], ARGV[1]) * 0`
const PASS = `local next = redis.call('lpop', KEYS[2]) if not next then return redis.call('del', KEYS[1]) end redis.call('set', KEYS[1], next, 'PX', ${LEASE_MS}) return redis.call('publish', ARGV[1] .. string.match(next, '^[^:]*'), next)`
const CHANNELS = 'in-turn:'

/**
 * The floor of strict order: a client that finds the lock taken joins a line, and a release gives the lock to the first in line and tells that
 * client. Two scripts of two or three commands and a message, over raw ioredis. It notices neither a dead process nor a lost message.
 */
export const open: Open = async ({ host, port }) => {
  const redis = new Redis({ host, port })
  const subscriber = new Redis({ host, port })
  const [take, pass] = await Promise.all([TAKE, PASS].map((script) => redis.script('LOAD', script)))
  const client = randomUUID()
  const granted = new Map<string, () => void>()
  let count = 0
  subscriber.on('message', (_, token) => granted.get(token)?.())
  await subscriber.subscribe(CHANNELS + client)
  return {
    version: `ioredis ${versionOf('ioredis')}`,
    async section(key, body) {
      count += 1
      const token = `${client}:${count}`
      const called = new Promise<void>((resolve) => granted.set(token, resolve))
      if ((await redis.evalsha(String(take), 2, key, `${key}:line`, token)) !== 1) await called
      granted.delete(token)
      const pending = body()
      if (pending !== undefined) await pending
      await redis.evalsha(String(pass), 2, key, `${key}:line`, CHANNELS)
    },
    close: async () => {
      await Promise.all([redis.quit(), subscriber.quit()])
    },
  }
}
