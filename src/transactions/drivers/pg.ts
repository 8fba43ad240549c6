import {
  type Answer,
  type GuardedSteps,
  isFunction,
  isObject,
  type PostgresTransaction,
  rowsOf,
} from '../../port/sql-connection.js'

export interface PgClient {
  query(text: string, values: unknown[]): unknown
  query(text: string): unknown
}

interface Canceller extends PgClient {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  end(): Promise<void>
}

/** Whether that is a client of `pg`, and not its pool. */
export function isPgClient(value: unknown): value is PgClient {
  return isObject(value) && isFunction(value['query']) && isFunction(value['getTypeParser'])
}

export function isPgPool(value: unknown): value is PgClient {
  return isObject(value) && isFunction(value['query']) && typeof value['totalCount'] === 'number'
}

function isCanceller(value: unknown): value is Canceller {
  return isPgClient(value) && 'connect' in value && 'end' in value
}

export class PgTransaction implements PostgresTransaction {
  readonly dialect = 'postgres'

  constructor(private readonly client: PgClient) {}

  readonly query = async (text: string, values: readonly unknown[] = []): Promise<Answer> =>
    answerOf(await this.client.query(text, [...values]))

  async attempt(text: string): Promise<Answer> {
    const answers = await this.#script(['SAVEPOINT holdfast', text, 'RELEASE SAVEPOINT holdfast'])
    return answers[1] ?? { rows: [], changed: 0 }
  }

  async guarded<Result>({ before, work, after }: GuardedSteps<Result>): Promise<Result> {
    await this.#script(['SAVEPOINT holdfast', ...before])
    try {
      const result = await work(this.query)
      await this.#script([...after, 'RELEASE SAVEPOINT holdfast'])
      return result
    } catch (error) {
      // If this fails too, the connection is gone, and the first error says why.
      await this.#script(['ROLLBACK TO SAVEPOINT holdfast', 'RELEASE SAVEPOINT holdfast']).catch(
        () => undefined,
      )
      throw error
    }
  }

  /** Cancels over a new connection like this one: the driver's own way does not work with TLS. */
  async cancel(pid: number, over: Promise<unknown>): Promise<void> {
    const { client } = this
    const other: unknown = Reflect.construct(client.constructor, [
      Reflect.get(client, 'connectionParameters'),
    ])
    if (!isCanceller(other)) return
    other.on('error', () => undefined)
    try {
      // Before it connects, it has sent no request, so there is nothing to wait for.
      const isThere = await Promise.race([other.connect().then(() => true), over.then(() => false)])
      if (isThere) await other.query('SELECT pg_cancel_backend($1)', [pid])
    } finally {
      other.end().catch(() => undefined)
    }
  }

  async #script(statements: readonly string[]): Promise<Answer[]> {
    const results = await this.client.query(statements.join('; '))
    return Array.isArray(results) ? results.map(answerOf) : [answerOf(results)]
  }
}

function answerOf(result: unknown): Answer {
  if (!isObject(result)) return { rows: [], changed: 0 }
  return { rows: rowsOf(result['rows']), changed: Number(result['rowCount'] ?? 0) }
}
