import { randomUUID } from 'node:crypto'
import { Redisson } from 'node-redisson'
import type { Open } from '../drivers/library.js'
import { versionOf } from './version.js'

/** Defaults throughout: `lock()` waits for as long as it takes; its watchdog's lease is 30 s. */
export const open: Open = ({ host, port }) => {
  const redisson = new Redisson({ redis: { options: { host, port } } })
  return {
    version: versionOf('node-redisson'),
    async section(key, body) {
      const lock = redisson.getLock(key)
      await lock.lock()
      const pending = body()
      if (pending !== undefined) await pending
      await lock.unlock()
    },
    async nested(key, depth, body) {
      const lock = redisson.getLock(key, randomUUID())
      for (let hold = 0; hold < depth; hold += 1) await lock.lock()
      const pending = body()
      if (pending !== undefined) await pending
      for (let hold = 0; hold < depth; hold += 1) await lock.unlock()
    },
    close: () => redisson.quit(),
  }
}
