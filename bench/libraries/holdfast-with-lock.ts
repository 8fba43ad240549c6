import { Redis } from 'ioredis'
import { Holdfast, type Lock } from '../../dist/index.js'
import type { Body, Open } from '../drivers/library.js'
import { versionOfProject } from './version.js'

/** As holdfast.ts, in the shape that code with nested sections uses. */
export const open: Open = ({ host, port }) => {
  const redis = new Redis({ host, port, lazyConnect: true })
  const holdfast = new Holdfast(redis)
  return {
    version: versionOfProject('holdfast'),
    section: (key, body) => holdfast.lock(key).withLock(body),
    nested: (key, depth, body) => nested(holdfast.lock(key), depth, body),
    close: () => holdfast.close(),
  }
}

function nested(lock: Lock, depth: number, body: Body): Promise<unknown> {
  return depth === 1 ? lock.withLock(body) : lock.withLock(() => nested(lock, depth - 1, body))
}
