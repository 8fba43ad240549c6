import { randomBytes } from 'node:crypto'
import { machineTime } from '../../base/time/machine-time.js'
import { transactionOf } from '../../transactions/driver.js'
import { failureOf } from '../../transactions/failure.js'
import { notHere, type Ties } from '../rows/ties.js'
import { oneOf, only } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
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
    const startedAt = machineTime.monotonicMs()
    try {
      await session.attempt(`SELECT pg_advisory_xact_lock('${tie}'::int8)`)
    } catch (error) {
      throw failureOf(error, { call: 'confirm', lockName, startedAt })
    }
    // A tie that this connection does not see, other takers of the lock would not see either.
    const question = {
      statement: statements.tieEnded,
      values: [tie],
      about: { command: 'confirm', lockName },
    }
    const ended = await this.connections.read(question, (rows) => oneOf(only(rows), 'ended', 'true', 'false'))
    if (ended === 'true') throw notHere(tx, lockName)
    return tie
  }
}
