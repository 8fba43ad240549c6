import {
  type Answer,
  type GuardedSteps,
  isFunction,
  isObject,
  type PostgresTransaction,
  rowsOf,
} from '../../port/sql-connection.js'
import { isGone } from '../failure.js'

/** The `sql` of the package `postgres`. */
export interface PostgresSql {
  unsafe(text: string, values: unknown[]): unknown
}

interface PostgresTransactionSql extends PostgresSql {
  savepoint(name: string, work: (sql: PostgresSql) => Promise<unknown>): Promise<unknown>
}

export function isPostgresSql(value: unknown): value is PostgresSql {
  return typeof value === 'function' && 'unsafe' in value && isFunction(value.unsafe)
}

/** Whether that is what `sql.begin` passes. */
export function isPostgresTransaction(value: PostgresSql): value is PostgresTransactionSql {
  return 'savepoint' in value && isFunction(value.savepoint)
}

export async function queryPostgres(
  sql: PostgresSql,
  text: string,
  values: readonly unknown[],
): Promise<Answer> {
  return answerOf(await sql.unsafe(text, [...values]))
}

/** This driver rolls back at the end whatever had a failed statement outside a savepoint of its own: all that may fail is in one. */
export class PostgresSqlTransaction implements PostgresTransaction {
  readonly dialect = 'postgres'
  #running: unknown

  constructor(private readonly sql: PostgresTransactionSql) {}

  query(text: string, values: readonly unknown[] = []): Promise<Answer> {
    return queryPostgres(this.sql, text, values)
  }

  async attempt(text: string): Promise<Answer> {
    const answers = await this.sql.unsafe(`SAVEPOINT holdfast; ${text}; RELEASE SAVEPOINT holdfast`, [])
    return answerOf(Array.isArray(answers) ? answers[1] : undefined)
  }

  guarded<Result>({ before, work, after }: GuardedSteps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const section = async (inner: PostgresSql): Promise<void> => {
        try {
          if (before.length > 0) await inner.unsafe(before.join('; '), [])
          const result = await work(async (text, values = []) => {
            this.#running = inner.unsafe(text, [...values])
            return answerOf(await this.#running)
          })
          if (after.length > 0) await inner.unsafe(after.join('; '), [])
          resolve(result)
        } catch (error) {
          if (!isGone(error)) throw error
          reject(error)
          // The driver would try to roll back to its savepoint over the broken connection, which ends the process.
          await new Promise(() => undefined)
        }
      }
      this.sql.savepoint('holdfast', section).catch(reject)
    })
  }

  async cancel(): Promise<void> {
    const running = this.#running
    if (!isObject(running)) return
    const { cancel, canceller } = running
    // `cancel` does not say when the server has the request; the function that it calls does.
    if (isFunction(canceller)) await canceller(running)
    else if (isFunction(cancel)) await Reflect.apply(cancel, running, [])
  }
}

function answerOf(result: unknown): Answer {
  const changed = isObject(result) ? Number(result['count'] ?? 0) : 0
  return { rows: rowsOf(result), changed }
}
