import { schemas } from '../../src/cli/schemas.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { bringDatabase } from '../setup/databases.js'
import { execute } from '../setup/sql-script.js'
import type { Snippet } from './snippet.js'

const databases = {
  DATABASE_URL: ['PostgreSQL', 'postgres'],
  MARIADB_URL: ['MariaDB', 'mysql'],
  MYSQL_URL: ['MySQL', 'mysql'],
} as const
const databaseNames = ['DATABASE_URL', 'MARIADB_URL', 'MYSQL_URL'] as const

/** The servers that the code in the pages asks its environment for, by the names under which it does. */
export class Surroundings {
  readonly #ends: Array<() => Promise<void>> = []
  /** One of each for all. */
  readonly #shared = new Map<string, Promise<string>>()

  /** What the environment says to this code; a database, and an etcd, is its own. */
  async of({ code }: Snippet): Promise<Record<string, string>> {
    const env: Record<string, string> = {}
    for (const name of databaseNames) if (code.includes(name)) env[name] = await this.#database(name, code)
    if (/Pool\(\)|postgresJs\(\)/.test(code))
      Object.assign(env, asPg(await this.#database('DATABASE_URL', code)))
    if (code.includes('ETCD_URL')) env['ETCD_URL'] = await this.#etcd()
    if (code.includes('MEMCACHED')) env['MEMCACHED'] = await this.#once('memcached', () => this.#memcached())
    if (code.includes('ZOOKEEPER')) env['ZOOKEEPER'] = await this.#once('ZooKeeper', () => this.#zooKeeper())
    return env
  }

  async end(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()))
  }

  #once(name: string, start: () => Promise<string>): Promise<string> {
    const started = this.#shared.get(name) ?? start()
    this.#shared.set(name, started)
    return started
  }

  /** With Holdfast's table, unless the code makes that itself. */
  async #database(name: keyof typeof databases, code: string): Promise<string> {
    const [product, scheme] = databases[name]
    const made = await bringDatabase(product)
    this.#ends.push(() => made.drop())
    const { user, password, host, port, database } = made.address
    const url = `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`
    if (!code.includes('createTable')) await execute(url, await schemas[scheme]())
    return url
  }

  async #etcd(): Promise<string> {
    const server = await EtcdServer.start()
    this.#ends.push(() => server.stop())
    return server.url
  }

  async #memcached(): Promise<string> {
    const server = await MemcachedServer.start()
    this.#ends.push(async () => void (await server.stop()))
    return server.address
  }

  async #zooKeeper(): Promise<string> {
    const server = await ZooKeeperServer.start()
    this.#ends.push(() => server.stop())
    return server.address
  }
}

/** The same address in the variables that PostgreSQL's own programs know. */
function asPg(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password) },
    PGDATABASE: pathname.slice(1),
  }
}
