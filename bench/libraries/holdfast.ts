import { Redis } from 'ioredis'
import { type Hold, Holdfast, type HoldfastOptions, type Lock } from '../../dist/index.js'
import type { Body, Open } from '../drivers/library.js'
import { versionOfProject } from './version.js'

/** Defaults throughout: watchdog, announcements of releases, bounded hand-over. Each section has an owner of its own. */
export const open: Open = (server) => opened(server, {})

/** No lock stays with the process after a release. */
export const openWithoutLingering: Open = (server) => opened(server, { lingerMs: 0 })

function opened({ host, port }: Parameters<Open>[0], options: HoldfastOptions): ReturnType<Open> {
  const redis = new Redis({ host, port, lazyConnect: true })
  const holdfast = new Holdfast(redis, options)
  return {
    version: versionOfProject('holdfast'),
    async section(key, body) {
      const hold = await holdfast.lock(key).acquire()
      const working = body()
      if (working) await working
      await hold.release()
    },
    nested: (key, depth, body) => nested(holdfast.lock(key), depth, body),
    close: () => holdfast.close(),
  }
}

async function nested(lock: Lock, depth: number, body: Body, outer?: Hold): Promise<void> {
  const hold = await lock.acquire(outer ? { owner: outer.owner } : {})
  await (depth === 1 ? body() : nested(lock, depth - 1, body, hold))
  await hold.release()
}
