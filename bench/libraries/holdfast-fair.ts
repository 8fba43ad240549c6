import { Redis } from 'ioredis'
import { Holdfast } from '../../dist/index.js'
import type { Open } from '../drivers/library.js'
import { versionOfProject } from './version.js'

/** As holdfast.ts, with a lock that serves in the order of arrival across processes. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port, lazyConnect: true })
  const holdfast = new Holdfast(redis)
  return {
    version: versionOfProject('holdfast'),
    async section(key, body) {
      const hold = await holdfast.fairLock(key).acquire()
      const working = body()
      if (working) await working
      await hold.release()
    },
    close: () => holdfast.close(),
  }
}
