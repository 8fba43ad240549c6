import { etcd } from 'holdfast/etcd'
import { memcached } from 'holdfast/memcached'
import { mysql } from 'holdfast/mysql'
import { postgres } from 'holdfast/postgres'
import { sqlite } from 'holdfast/sqlite'
import type { Store } from 'holdfast/store'
import { zookeeper } from 'holdfast/zookeeper'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'

/** Where the demo's locks are, for one process. */
export interface Locks {
  /** What a `Holdfast` is made of. */
  readonly place: Redis | Store
  /** The server's own count of commands, where it has one. */
  readonly redis?: Redis
  /** Whether others see how many holds an owner has. */
  readonly tellsHolds: boolean
  close(): Promise<void>
}

/** Connects on first use. */
export function locksAt(url: string): Locks {
  const locks = openedAt(url)
  const tellsHolds = !('open' in locks.place) || locks.place.traits?.countsVisible !== false
  return { ...locks, tellsHolds }
}

function openedAt(url: string): Omit<Locks, 'tellsHolds'> {
  if (url.startsWith('postgres:')) {
    const pool = new pg.Pool({ connectionString: url })
    return { place: postgres(pool, { createTable: true }), close: () => pool.end() }
  }
  if (url.startsWith('mysql:'))
    return {
      place: mysql({ connect: () => createConnection(url), createTable: true }),
      close: async () => undefined,
    }
  if (url.startsWith('sqlite:'))
    return { place: sqlite(url.slice('sqlite:'.length)), close: async () => undefined }
  const [, product, at = ''] = /^(etcd|zookeeper|memcached):\/\/(.*)$/.exec(url) ?? []
  if (product === 'etcd') return { place: etcd({ hosts: at }), close: async () => undefined }
  if (product === 'zookeeper') return { place: zookeeper({ servers: at }), close: async () => undefined }
  if (product === 'memcached') return { place: memcached({ servers: [at] }), close: async () => undefined }
  const redis = new Redis(url, { lazyConnect: true })
  return { place: redis, redis, close: async () => redis.disconnect() }
}
