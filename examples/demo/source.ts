import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EtcdServer } from '../../test/servers/etcd/index.js'
import { bringServer, NoServerError } from '../../test/servers/index.js'
import { MemcachedServer } from '../../test/servers/memcached.js'
import { bringSqlServer } from '../../test/servers/sql/index.js'
import { ZooKeeperServer } from '../../test/servers/zookeeper/index.js'

export const stores = ['redis', 'postgres', 'mysql', 'sqlite', 'etcd', 'zookeeper', 'memcached'] as const
export type StoreName = (typeof stores)[number]

/** A server, or a file, for one run of the demo. */
export interface Source {
  readonly url: string
  /** What it is and where it came from, in one line. */
  readonly told: string
  stop(): Promise<void>
}

/** Brings the store that is asked for; where none is, Redis, or else a file. */
export async function bringStore(name: StoreName | undefined): Promise<Source> {
  switch (name) {
    case 'sqlite':
      return await file()
    case 'postgres':
      return await database('PostgreSQL', 'postgres')
    case 'mysql':
      return await database('MySQL', 'mysql')
    case 'etcd':
      return await coordination('etcd', EtcdServer.start())
    case 'zookeeper':
      return await coordination('zookeeper', ZooKeeperServer.start())
    case 'memcached':
      return await coordination('memcached', MemcachedServer.start())
    case 'redis':
      return await redis()
    case undefined:
      try {
        return await redis()
      } catch (error) {
        if (!(error instanceof NoServerError)) throw error
        const made = await file()
        return { ...made, told: `${made.told}: no Redis is at hand.\n${error.message}` }
      }
  }
}

async function redis(): Promise<Source> {
  const server = await bringServer({ prefer: 'binary', say: () => undefined })
  const { how, version, host, port, url } = server
  const source = how === 'url' ? 'named by HOLDFAST_REDIS_URL' : `started for this run, by ${how}`
  return { url, told: `server: ${version} on ${host}:${port} (${source})`, stop: () => server.stop() }
}

async function database(product: 'PostgreSQL' | 'MySQL', scheme: string): Promise<Source> {
  const server = await bringSqlServer(product)
  const { host, port, user, password, database: name } = server.address
  return {
    url: `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
    told: `server: ${product} on ${host}:${port} (started for this run)`,
    stop: () => server.stop(),
  }
}

async function coordination(
  product: 'etcd' | 'zookeeper' | 'memcached',
  starting: Promise<{ readonly host: string; readonly port: number; stop(): Promise<void> }>,
): Promise<Source> {
  const server = await starting
  const at = `${server.host}:${server.port}`
  return {
    url: `${product}://${at}`,
    told: `server: ${product} on ${at} (started for this run)`,
    stop: () => server.stop(),
  }
}

async function file(): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'))
  const path = join(folder, 'locks.db')
  return {
    url: `sqlite:${path}`,
    told: `server: none, but SQLite in the file ${path}`,
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}
