import { InvalidArgumentError } from '../base/errors/errors.js'
import type { Connection, MysqlTransaction, PostgresTransaction } from '../port/sql-connection.js'
import { isMariadb, isMariadbPool, MariadbTransaction } from './drivers/mariadb.js'
import { isMysql2Pool, Mysql2Transaction, mysql2Of } from './drivers/mysql2.js'
import { isPgClient, isPgPool, PgTransaction } from './drivers/pg.js'
import {
  isPostgresSql,
  isPostgresTransaction,
  PostgresSqlTransaction,
  queryPostgres,
} from './drivers/postgres.js'

const CONNECTIONS =
  'a connection on which a transaction was started: a client of pg, what sql.begin of postgres passes, or a connection of mysql2 or ' +
  'mariadb (with promises)'

/** What ORMs pass to the body of a transaction, recognised by members, and how each gives the connection of that transaction. */
const OF_ORMS: ReadonlyArray<readonly [members: readonly string[], line: string]> = [
  [['session', 'dialect', 'rollback'], 'for Drizzle pass the client that drizzle(client) was given'],
  [['queryRunner', 'getRepository'], 'for TypeORM pass await manager.queryRunner.connect()'],
  [['startTransaction', 'manager'], 'for TypeORM pass await queryRunner.connect()'],
  [['client', 'executionPromise'], 'for Knex pass await trx.client.acquireConnection()'],
  [['$executeRaw', '$queryRaw'], 'Prisma hides its connection: docs/cookbook.md has the lines that find it'],
]

/** Finds the driver of a connection. Refuses a pool and anything else: a transaction has one connection. */
export function transactionOf(tx: unknown): PostgresTransaction | MysqlTransaction {
  if (isPostgresSql(tx) && isPostgresTransaction(tx)) return new PostgresSqlTransaction(tx)
  if (isPgPool(tx) || isMariadbPool(tx) || isMysql2Pool(tx) || isPostgresSql(tx)) {
    throw new InvalidArgumentError('tx', tx, `${CONNECTIONS}; not a pool`)
  }
  if (isPgClient(tx)) return new PgTransaction(tx)
  if (isMariadb(tx)) return new MariadbTransaction(tx)
  const mysql2 = mysql2Of(tx)
  if (mysql2) return new Mysql2Transaction(mysql2)
  const orm = OF_ORMS.find(([members]) => members.every((member) => member in Object(tx)))
  throw new InvalidArgumentError('tx', tx, orm ? `${CONNECTIONS}; ${orm[1]}` : CONNECTIONS)
}

/** The same for single statements, which a pool may run as well. */
export function connectionOf(db: unknown): Connection {
  if (isPgClient(db) || isPgPool(db)) return new PgTransaction(db)
  if (isPostgresSql(db)) {
    return { dialect: 'postgres', query: (text, values = []) => queryPostgres(db, text, values) }
  }
  if (isMariadb(db)) return new MariadbTransaction(db)
  const mysql2 = mysql2Of(db)
  if (mysql2) return new Mysql2Transaction(mysql2)
  throw new InvalidArgumentError('db', db, 'a connection or pool of pg, postgres, mysql2 or mariadb')
}
