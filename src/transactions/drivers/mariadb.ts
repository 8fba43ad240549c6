import { type Answer, isFunction, isObject, type MysqlTransaction, rowsOf } from '../connection.js'

/** A connection or pool of `mariadb`, with promises. */
export interface MariadbConnection {
  query(text: string, values: unknown[]): unknown
}

const IN_TRANSACTION = 1

export function isMariadb(value: unknown): value is MariadbConnection {
  return isObject(value) && isFunction(value['query']) && isFunction(value['batch'])
}

export function isMariadbPool(value: unknown): boolean {
  return isMariadb(value) && 'getConnection' in value
}

export class MariadbTransaction implements MysqlTransaction {
  readonly dialect = 'mysql'

  constructor(readonly identity: MariadbConnection) {}

  async query(text: string, values: readonly unknown[] = []): Promise<Answer> {
    const result = await this.identity.query(text, [...values])
    if (Array.isArray(result) || !isObject(result)) return { rows: rowsOf(result), changed: 0 }
    return { rows: [], changed: Number(result['affectedRows'] ?? 0) }
  }

  inTransaction(): boolean {
    const info: unknown = Reflect.get(this.identity, 'info')
    return isObject(info) && (Number(info['status']) & IN_TRANSACTION) !== 0
  }
}
