import { join } from 'node:path'
import { Holdfast, type Store } from '../../../dist/index.js'
import type { Library, Open } from '../../drivers/library.js'
import type { Place } from '../../drivers/place.js'
import { versionOfProject } from '../version.js'

/** Defaults throughout; the table was made beforehand. Each section has an owner of its own. */
export const open: Open = async (place) => opened(new Holdfast(await storeAt(place)))

/** No server at all: what Holdfast itself costs. */
export const openInMemory: Open = async () => {
  const { MemoryStore } = await import('../../../dist/memory/index.js')
  return opened(new Holdfast(new MemoryStore()))
}

function opened(holdfast: Holdfast): Library {
  return {
    version: versionOfProject('holdfast'),
    async section(key, body) {
      const hold = await holdfast.lock(key).acquire()
      const working = body()
      if (working) await working
      await hold.release()
    },
    close: () => holdfast.close(),
  }
}

export async function storeAt({
  host,
  port,
  servers = [`${host}:${port}`],
  system = 'Redis',
  login,
  folder = '.',
}: Place): Promise<Store> {
  const address = { host, port, ...login }
  switch (system) {
    case 'PostgreSQL': {
      const { postgres } = await import('../../../dist/postgres/index.js')
      const { default: pg } = await import('pg')
      return postgres(new pg.Pool(address))
    }
    case 'MySQL':
    case 'MariaDB': {
      const { mysql } = await import('../../../dist/mysql/index.js')
      const { createConnection } = await import('mysql2/promise')
      return mysql({ connect: () => createConnection(address) })
    }
    case 'Redis': {
      const { redis } = await import('../../../dist/redis/index.js')
      const { Redis } = await import('ioredis')
      return redis(new Redis({ host, port, lazyConnect: true }))
    }
    case 'etcd': {
      const { etcd } = await import('../../../dist/etcd/index.js')
      return etcd({ hosts: servers })
    }
    case 'ZooKeeper':
    case 'ZooKeeper, three': {
      const { zookeeper } = await import('../../../dist/zookeeper/index.js')
      return zookeeper({ servers })
    }
    case 'memcached': {
      const { memcached } = await import('../../../dist/memcached/index.js')
      return memcached({ servers })
    }
    case 'files': {
      const { sqlite } = await import('../../../dist/sqlite/index.js')
      return sqlite(join(folder, 'locks.db'))
    }
  }
}
