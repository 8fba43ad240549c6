import { randomBytes } from 'node:crypto'
import { transactionOf } from '../../transactions/driver.js'
import { inCall } from '../../transactions/failure.js'
import { notHere, type Ties } from '../rows/ties.js'
import { oneOf, only } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { statements } from './statements.js'

/**
 * Ties to transactions of PostgreSQL: advisory locks of random numbers. A transaction keeps its own exclusively, waits for nobody to get it,
 * and nobody can take it away; whoever wants to know whether it has ended tries to share it.
 */
export class PostgresTies implements Ties {
  constructor(private readonly connections: Pick<Connections, 'read'>) {}

  async tie(tx: unknown, lockName: string): Promise<string> {
    const session = transactionOf(tx)
    if (session.dialect !== 'postgres') throw notHere(tx, lockName)
    const tie = String(randomBytes(8).readBigInt64BE())
    await inCall('confirm', lockName, undefined, () =>
      session.attempt(`SELECT pg_advisory_xact_lock('${tie}'::int8)`),
    )
    // A tie that this connection does not see, other takers of the lock would not see either.
    const asked = question(statements.tieEnded, [tie], 'confirm', lockName)
    const ended = await this.connections.read(asked, (rows) => oneOf(only(rows), 'ended', 'true', 'false'))
    if (ended === 'true') throw notHere(tx, lockName)
    return tie
  }
}
