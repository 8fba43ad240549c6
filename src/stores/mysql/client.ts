import { InvalidArgumentError } from '../../base/errors/errors.js'
import { offers, required } from '../../base/packages/installed.js'
import { lineForClient } from '../../base/packages/known-clients.js'
import { isObject } from '../../port/sql-connection.js'
import { isConnection, type MysqlConnection, type UsedConnection } from './client-connection.js'

/** A pool of `mysql2`, of `mysql2/promise` or of `mariadb`, described by what tells it. */
export interface MysqlPool {
  getConnection(...args: never[]): unknown
  end(...args: never[]): unknown
}

/** Opens one connection of Holdfast's own. */
export type Connect = () => Promise<MysqlConnection>

interface Mysql2 {
  createConnection(options: object): Promise<MysqlConnection>
}

interface Mysql2Pool {
  readonly config: { readonly connectionConfig: object }
}

/** Where the server is and how to log in, among what mysql2 has made of a pool's options; the rest is Holdfast's affair. */
const COPIED = [
  ...['host', 'port', 'localAddress', 'socketPath', 'stream', 'connectTimeout', 'database', 'compress'],
  ...[
    'ssl',
    'user',
    'password',
    'password2',
    'password3',
    'passwordSha1',
    'insecureAuth',
    'enableCleartextPlugin',
  ],
  ...['authPlugins', 'authSwitchHandler', 'connectAttributes', 'disableEval'],
]

/** The options that say where a server is. */
const ADDRESSES = ['host', 'port', 'user', 'password', 'uri', 'url', 'socketPath']

export const isPool = offers<MysqlPool>('getConnection', 'end')

/** @throws InvalidArgumentError if it is another library's. */
export function connectLike(pool: MysqlPool): Connect {
  const core: unknown = 'pool' in pool ? pool.pool : pool
  if (isMysql2(core)) return () => connectMysql2(core)
  // A pool of mariadb hides its options, and takes no callback.
  if ('activeConnections' in pool && pool.getConnection.length === 0) return () => takeFrom(pool)
  throw new InvalidArgumentError('pool', pool, `a pool of mysql2 or mariadb${mysqlHint(pool)}`)
}

/** What to write in place of that value, as the end of a sentence that begins "a pool of mysql2 or mariadb". */
export function mysqlHint(value: unknown): string {
  const ofOptions = (options: string): string =>
    `; import { createPool } from 'mysql2/promise' and write mysql(createPool(${options}))`
  if (typeof value === 'string' || value instanceof URL) return ofOptions('url')
  if (isObject(value) && 'activeConnections' in value)
    return "; for mariadb import { createPool } from 'mariadb', without /callback"
  const line = isPool(value) ? undefined : lineForClient(value)
  if (line !== undefined) return `; ${line}`
  if (typeof value === 'function') return '; for a function that opens a connection write mysql({ connect })'
  if (typeof value !== 'object' || value === null) return ofOptions('url')
  return ADDRESSES.some((field) => field in value) ? ofOptions('options') : ''
}

/** With the same options, as they are at that moment: the application may have changed the password since. */
async function connectMysql2({ config }: Mysql2Pool): Promise<MysqlConnection> {
  const mysql2 = required(
    'mysql2/promise',
    offers<Mysql2>('createConnection'),
    'mysql2 has to be installed where Holdfast finds it too: npm install mysql2',
  )
  const options = Object.entries(config.connectionConfig).filter(
    ([name, value]) => COPIED.includes(name) && value !== undefined,
  )
  return await mysql2.createConnection(Object.fromEntries(options))
}

/** One of the pool's own, which goes back to nobody: it has Holdfast's settings. Destroyed, it leaves its place in the pool. */
async function takeFrom(pool: MysqlPool): Promise<UsedConnection> {
  const connection: unknown = await Reflect.apply(pool.getConnection, pool, [])
  if (!isConnection(connection)) throw new InvalidArgumentError('pool', pool, 'a pool of mysql2 or mariadb')
  return Object.assign(connection, {
    end: async () => connection.destroy(),
    forgetUse: () => forgetUse(connection),
  })
}

/**
 * What the application has done on it does not count: in another database, or by another clock, two would have one lock. `reset()` leaves the
 * database as it is, and `changeUser()` is for MariaDB alone, where the pool names a database: without one, the library sends a packet that
 * the server misreads.
 */
async function forgetUse(connection: MysqlConnection): Promise<void> {
  if (!resets(connection)) return
  const { info } = connection
  const { clientCapabilities: given } = info
  const namesDatabase = typeof given === 'bigint' && (given & CONNECT_WITH_DB) > 0n
  await (namesDatabase && info.isMariaDB() ? connection.changeUser() : connection.reset())
}

/** Among the capabilities of a login: it names a database. */
const CONNECT_WITH_DB = 8n

const resets = offers<{
  changeUser(): Promise<unknown>
  reset(): Promise<unknown>
  readonly info: { readonly clientCapabilities?: unknown; isMariaDB(): boolean }
}>('changeUser', 'reset')

function isMysql2(value: unknown): value is Mysql2Pool {
  return isObject(value) && isObject(value['config']) && isObject(value['config']['connectionConfig'])
}
