import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Hold } from '../../../src/index.js'
import { account } from '../../servers/sql/product.js'
import type { Route } from '../order.js'
import { connectAt } from '../route.js'

/** Then a transaction is given up, by its server too, where its connection says nothing. */
export const LONGEST_TRANSACTION_S = 3

interface Connection {
  readonly tx: Parameters<Hold['confirm']>[0]
  ask(statement: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Ends it in mid-statement as well. */
  end(): void
}

/**
 * What an application writes in transactions of its own: each reads the last number under a name and writes the next. Two that write
 * the same were in there at once, whatever either of them believed.
 */
export class Ledger {
  constructor(
    private readonly writer: string,
    private readonly connect: () => Promise<Connection>,
  ) {}

  /** The ledger beside that store; undefined where there are no transactions. */
  static at(route: Route, writer: string): Ledger | undefined {
    if (route.to === 'postgres') return new Ledger(writer, () => toPostgres(route))
    if (route.to === 'mysql') return new Ledger(writer, () => toMysql(route))
    return undefined
  }

  /**
   * Writes the next number under a name, if the hold can be tied to the transaction.
   * @param ms between reading and writing, which may take the hold past its lease
   * @param tie has the hold confirmed
   * @returns whether it is committed for certain
   */
  async book(name: string, ms: number, tie: (tx: Connection['tx']) => Promise<void>): Promise<boolean> {
    let connection: Connection | undefined
    const giveUp = new AbortController()
    const late = setTimeout(() => {
      giveUp.abort()
      connection?.end()
    }, LONGEST_TRANSACTION_S * 1_000)
    try {
      connection = await this.connect()
      if (giveUp.signal.aborted) return false
      const { ask, tx } = connection
      await ask('BEGIN')
      await tie(tx)
      const [row] = await ask(`SELECT coalesce(max(number), 0) AS last FROM ledger WHERE name = '${name}'`)
      await pause(ms, undefined, { signal: giveUp.signal })
      await ask(
        `INSERT INTO ledger (name, number, writer) VALUES ('${name}', ${Number(row?.['last']) + 1}, '${this.writer}')`,
      )
      await ask('COMMIT')
      return true
    } catch {
      // It is broken, or was refused: nothing is known of the transaction, and nothing was promised.
      return false
    } finally {
      clearTimeout(late)
      connection?.end()
    }
  }
}

async function toPostgres({ server, user, password }: Route & { to: 'postgres' }): Promise<Connection> {
  const client = new pg.Client({
    ...server,
    user,
    password,
    database: account.database,
    application_name: 'ledger',
    connectionTimeoutMillis: LONGEST_TRANSACTION_S * 1_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  const ask: Connection['ask'] = async (statement) => (await client.query(statement)).rows ?? []
  return {
    tx: client,
    ask: (statement) =>
      ask(
        statement === 'BEGIN'
          ? `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${LONGEST_TRANSACTION_S}s'`
          : statement,
      ),
    // A client that is busy ends by breaking its connection.
    end: () => void client.end().catch(() => undefined),
  }
}

async function toMysql(route: Route & { to: 'mysql' }): Promise<Connection> {
  const connection = await connectAt(route, { connectTimeout: LONGEST_TRANSACTION_S * 1_000 })()
  connection.on('error', () => undefined)
  await connection.query(`SET wait_timeout = ${LONGEST_TRANSACTION_S}`)
  return {
    tx: connection,
    async ask(statement) {
      const answer = await connection.query(statement)
      // With `mysql2`, rows and columns.
      const rows: unknown = route.library === 'mysql2' && Array.isArray(answer) ? answer[0] : answer
      return Array.isArray(rows) ? rows : []
    },
    end: () => connection.destroy(),
  }
}
