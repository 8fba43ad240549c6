import { isDate, isUint8Array } from 'node:util/types'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import {
  type Answer,
  isFunction,
  isObject,
  type MysqlTransaction,
  type Row,
  rowsOf,
} from '../../port/sql-connection.js'
import { isGone } from '../failure.js'

/** A connection or pool of `mysql2`, with promises. */
export interface Mysql2Connection {
  query(text: string): unknown
  execute(text: string, values: unknown[]): unknown
  /** Absent in a pool. */
  unprepare?(text: string): unknown
}

/** The server's word for "in a transaction" in the status that comes with its answers. */
const IN_TRANSACTION = 1

/** The one with promises, also where the application has the one with callbacks. */
export function mysql2Of(value: unknown): Mysql2Connection | undefined {
  if (!isObject(value) || !isFunction(value['query'])) return undefined
  if (isFunction(value['promise'])) return mysql2Of(value['promise']())
  return isPromised(value) ? value : undefined
}

export function isMysql2Pool(value: unknown): boolean {
  return (
    isObject(value) &&
    isFunction(value['getConnection']) &&
    isFunction(value['execute']) &&
    !('batch' in value)
  )
}

export class Mysql2Transaction implements MysqlTransaction {
  readonly dialect = 'mysql'
  readonly identity: object
  #status = 0

  constructor(private readonly connection: Mysql2Connection) {
    const inner: unknown = Reflect.get(connection, 'connection')
    this.identity = isObject(inner) ? inner : connection
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Answer> {
    const answer = await (values.length === 0 ? this.connection.query(text) : this.#execute(text, values))
    const result: unknown = Array.isArray(answer) ? answer[0] : undefined
    if (Array.isArray(result) || !isObject(result)) return { rows: rowsOf(result), changed: 0 }
    this.#status = Number(result['serverStatus'] ?? 0)
    return { rows: [], changed: Number(result['affectedRows'] ?? 0) }
  }

  /** Its `query` would write the values into the text, objects as assignments, and wherever there is a question mark. */
  async #execute(text: string, values: readonly unknown[]): Promise<unknown> {
    const given = values.map(sentAs)
    try {
      const answer = await this.connection.execute(text, given)
      this.connection.unprepare?.(text)
      return answer
    } catch (error) {
      if (!isGone(error)) this.connection.unprepare?.(text)
      throw error
    }
  }

  inTransaction(): boolean {
    return (this.#status & IN_TRANSACTION) !== 0
  }
}

function isPromised(value: Row): value is Row & Mysql2Connection {
  return (isFunction(value['unprepare']) || isMysql2Pool(value)) && 'execute' in value
}

/** Checks a value that the driver sends unchanged. It would make JSON of any other. */
function sentAs(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return value
  if (isDate(value) || Buffer.isBuffer(value)) return value
  if (isUint8Array(value)) return Buffer.from(value)
  throw new InvalidArgumentError('values', value, 'a string, a number, a boolean, a date, bytes or null')
}
