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

/** One of each for all. */
const shared: ReadonlyArray<readonly [string, () => Promise<{ address: string; stop(): unknown }>]> = [
  ['MEMCACHED', () => MemcachedServer.start()],
  ['ZOOKEEPER', () => ZooKeeperServer.start()],
]

/** The servers that the code in the pages asks its environment for, by the names under which it does. */
export class Surroundings {
  readonly #ends: Array<() => unknown> = []
  readonly #shared = new Map<string, Promise<{ readonly address: string }>>()

  /** What the environment says to this code; a database, and an etcd, is its own. */
  async of({ code }: Snippet): Promise<Record<string, string>> {
    const env: Record<string, string> = {}
    for (const name of databaseNames) if (code.includes(name)) env[name] = await this.#database(name, code)
    if (/Pool\(\)|postgresJs\(\)/.test(code))
      Object.assign(env, asPg(await this.#database('DATABASE_URL', code)))
    if (code.includes('ETCD_URL')) env['ETCD_URL'] = (await this.#started(EtcdServer.start())).url
    for (const [name, start] of shared)
      if (code.includes(name)) {
        const server = this.#shared.get(name) ?? this.#started(start())
        this.#shared.set(name, server)
        env[name] = (await server).address
      }
    return env
  }

  async end(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()))
  }

  async #started<Server extends { stop(): unknown }>(starting: Promise<Server>): Promise<Server> {
    const server = await starting
    this.#ends.push(() => server.stop())
    return server
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
}

/** The same address in the variables that PostgreSQL's own programs know. */
function asPg(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password) },
    PGDATABASE: pathname.slice(1),
  }
}
