/** Stores that the command line reaches by a URL, each with what it can. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { EtcdServer } from '../servers/etcd/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { bringDatabase, type Database } from '../setup/databases.js'

interface Where {
  readonly url: string
  stop(): unknown
}

/** What a store can of which not all can the same. */
interface Can {
  readonly lists?: false
  /** Its word for `holdfast schema`, where it needs one. */
  readonly schema?: string
  /** Locks alone: no line, no permits, no prefix of keys. */
  readonly locksOnly?: true
  /** It keeps a line for `--fair`, and knows no more than locks. */
  readonly linesOnly?: true
}

const hosts = (endpoints: ReadonlyArray<{ host: string; port: number }>): string =>
  endpoints.map(({ host, port }) => `${host}:${port}`).join()

export const redisUrls = {
  standalone: () => inject('servers').standalone.url,
  cluster: () => `redis-cluster://${hosts(inject('servers').cluster.startupNodes)}/`,
  sentinel: () => {
    const { sentinels, name } = inject('servers').sentinel
    return `redis-sentinel://${hosts(sentinels)}/${name}`
  },
} as const

async function file(): Promise<Where> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'))
  return { url: `sqlite:${join(folder, 'locks.db')}`, stop: () => rm(folder, { recursive: true }) }
}

const inDatabase = (product: Database['product'], scheme: string) => async (): Promise<Where> => {
  const database = await bringDatabase(product)
  const { user, password, host, port, database: name } = database.address
  const url = `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`
  return { url, stop: () => database.drop() }
}

async function onServer(starts: typeof EtcdServer | typeof ZooKeeperServer, scheme: string, path = '') {
  const server = await starts.start()
  return { url: `${scheme}://${server.address}${path}`, stop: () => server.stop() }
}

async function onMemcached(): Promise<Where> {
  const servers = [await MemcachedServer.start(), await MemcachedServer.start()]
  return {
    url: `memcached://${servers.map(({ address }) => address).join()}`,
    stop: () => Promise.all(servers.map((server) => server.stop())),
  }
}

const plain = { lists: false, locksOnly: true } as const

export const otherStores: ReadonlyArray<readonly [string, () => Promise<Where>, Can]> = [
  ['SQLite', file, {}],
  ['PostgreSQL', inDatabase('PostgreSQL', 'postgres'), { schema: 'postgres' }],
  ['MySQL', inDatabase('MySQL', 'mysql'), { schema: 'mysql' }],
  ['MariaDB', inDatabase('MariaDB', 'mariadb'), { schema: 'mysql' }],
  ['etcd', () => onServer(EtcdServer, 'etcd'), { linesOnly: true }],
  ['ZooKeeper', () => onServer(ZooKeeperServer, 'zk', '/locks/cli'), { linesOnly: true }],
  ['memcached', onMemcached, plain],
  ['PostgreSQL, its advisory locks', inDatabase('PostgreSQL', 'postgres+advisory'), plain],
  ['MySQL, its GET_LOCK', inDatabase('MySQL', 'mysql+get-lock'), plain],
]
