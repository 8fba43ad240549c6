import { InvalidArgumentError } from '../../base/errors/errors.js'
import {
  type Answer,
  isFunction,
  isObject,
  type MysqlTransaction,
  rowsOf,
} from '../../port/sql-connection.js'

/** A connection or pool of `mariadb`, with promises. */
export interface MariadbConnection {
  query(text: string, values: unknown[]): unknown
}

const IN_TRANSACTION = 1

export function isMariadb(value: unknown): value is MariadbConnection {
  // Only a connection with callbacks has `connect`.
  return isObject(value) && isFunction(value['query']) && isFunction(value['batch']) && !('connect' in value)
}

export function isMariadbPool(value: unknown): boolean {
  return isMariadb(value) && 'getConnection' in value
}

export class MariadbTransaction implements MysqlTransaction {
  readonly dialect = 'mysql'

  constructor(readonly identity: MariadbConnection) {}

  async query(text: string, values: readonly unknown[] = []): Promise<Answer> {
    const asked = this.identity.query(text, [...values])
    // Only the answer tells a pool with callbacks from one with promises.
    if (!isObject(asked) || !isFunction(asked['then'])) {
      throw new InvalidArgumentError('db', this.identity, 'a connection or pool of mariadb with promises')
    }
    const answer: unknown = await asked
    // With `metaAsArray` the rows stand beside what describes them, otherwise that is a property of theirs.
    const result: unknown = Array.isArray(answer) && !('meta' in answer) ? answer[0] : answer
    if (Array.isArray(result) || !isObject(result)) return { rows: rowsOf(result), changed: 0 }
    return { rows: [], changed: Number(result['affectedRows'] ?? 0) }
  }

  inTransaction(): boolean {
    const info: unknown = Reflect.get(this.identity, 'info')
    return isObject(info) && (Number(info['status']) & IN_TRANSACTION) !== 0
  }
}
