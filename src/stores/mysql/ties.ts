import { randomUUID } from 'node:crypto'
import { NoTransactionError } from '../../base/errors/no-transaction-error.js'
import { transactionOf } from '../../transactions/driver.js'
import { inCall } from '../../transactions/failure.js'
import { notHere, type Ties } from '../rows/ties.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { isLocked, isMissingTable } from './failure.js'
import type { Statements } from './statements.js'

/**
 * Ties to transactions of MySQL and MariaDB: rows that a transaction inserts and deletes again. Until it ends, the server refuses a question
 * for such a row that does not wait; afterwards nothing is left of it.
 */
export class MysqlTies implements Ties {
  constructor(
    private readonly connections: Pick<Connections, 'query'>,
    private readonly statements: Pick<Statements, 'tie' | 'tieEnded'>,
  ) {}

  async tie(tx: unknown, lockName: string): Promise<string> {
    const session = transactionOf(tx)
    if (session.dialect !== 'mysql') throw notHere(tx, lockName)
    const tie = randomUUID()
    await inCall('confirm', lockName, undefined, async () => {
      try {
        // In the text, since values cost mysql2 another round trip.
        for (const statement of this.statements.tie) await session.query(statement.replace('?', `'${tie}'`))
      } catch (error) {
        throw isMissingTable(error) ? notHere(tx, lockName) : error
      }
    })
    if (!session.inTransaction()) throw new NoTransactionError(lockName)
    // A tie that these connections do not see, other takers of the lock would not see either.
    if (await this.ended(tie, lockName)) throw notHere(tx, lockName)
    return tie
  }

  /** Whether its transaction has ended. */
  async ended(tie: string, lockName: string): Promise<boolean> {
    try {
      await this.connections.query(question(this.statements.tieEnded, [tie], 'confirm', lockName))
      return true
    } catch (error) {
      if (isLocked(error)) return false
      throw error
    }
  }
}
