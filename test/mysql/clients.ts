import { createConnection as createMariadb } from 'mariadb'
import { createConnection as createMysql2 } from 'mysql2/promise'
import type { StoreSettings } from '../../src/port/store.js'
import type { MysqlConnection, MysqlOptions } from '../../src/stores/mysql/index.js'
import { checkMysqlOptions } from '../../src/stores/mysql/options.js'
import { mysqlRows } from '../../src/stores/mysql/rows.js'
import type { SqlSession } from '../../src/stores/sql/session.js'
import { clientSettings } from '../rows/client-settings.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { loginOf, rowsIn } from '../transactions/application.js'

export interface Extra {
  readonly user?: string
  readonly password?: string
  readonly port?: number
  readonly [option: string]: unknown
}

export const libraries = {
  mysql2: (address: SqlAddress, extra: Extra = {}): Promise<MysqlConnection> =>
    createMysql2({ ...loginOf(address), ...extra }),
  mariadb: (address: SqlAddress, extra: Extra = {}): Promise<MysqlConnection> =>
    createMariadb({ ...loginOf(address), allowPublicKeyRetrieval: true, ...extra }),
} as const

export type Library = keyof typeof libraries

export const libraryNames: readonly Library[] = ['mysql2', 'mariadb']

/** One client, with what went wrong outside of its calls. */
export interface Client {
  readonly session: SqlSession
  readonly errors: unknown[]
}

export function openClient(
  connect: MysqlOptions['connect'],
  options: Omit<MysqlOptions, 'connect'> = {},
  others: Partial<StoreSettings> = {},
): Client {
  const { settings, errors } = clientSettings(others)
  return { session: mysqlRows(checkMysqlOptions({ connect, ...options })).openRows(settings), errors }
}

/** The application's own way to the server, for looking and for doing harm. */
export async function administer(
  address: SqlAddress,
  sql: string,
  values: unknown[] = [],
  extra: Extra = {},
): Promise<Record<string, unknown>[]> {
  const connection = await createMysql2({ ...loginOf(address), multipleStatements: true, ...extra })
  const [answer] = await connection.query(sql, values).finally(() => connection.end())
  return rowsIn(answer)
}
