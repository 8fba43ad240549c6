import { type Answer, isObject, type MysqlTransaction } from '../port/sql-connection.js'

export interface MysqlServer {
  readonly product: 'mysql' | 'mariadb'
  /** Whether it rolls the whole transaction back when a wait for a row ends: `innodb_rollback_on_timeout`. */
  readonly rollsBack: boolean
}

/** Asked once for each connection. */
const servers = new WeakMap<object, Promise<MysqlServer>>()

export function serverOf(session: MysqlTransaction): Promise<MysqlServer> {
  const known = servers.get(session.identity)
  if (known) return known
  // Reads no table, and so fixes no view of the data for the transaction.
  const asked = session
    .query("SELECT CONCAT(@@innodb_rollback_on_timeout, ' ', VERSION()) AS version")
    .then((answer): MysqlServer => {
      const version = String(onlyValue(answer))
      return {
        product: /mariadb/i.test(version) ? 'mariadb' : 'mysql',
        rollsBack: !/^(?:0|OFF) /i.test(version),
      }
    })
  asked.catch(() => servers.delete(session.identity))
  servers.set(session.identity, asked)
  return asked
}

/** The only value of an answer, also where the application has rows as arrays, or the columns of each table in an object. */
export function onlyValue({ rows }: Answer): unknown {
  let value: unknown = rows[0]
  while (isObject(value) && !Buffer.isBuffer(value)) value = Object.values(value)[0]
  return value
}
