import type { Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import { tiesIn } from '../rows/ties.js'
import { only } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { isDuplicate } from './failure.js'
import { isDone, microsecondsOf, readVersioned } from './row.js'
import type { Statements } from './statements.js'
import { asciiJson, storedName } from './stored-name.js'
import type { MysqlTies } from './ties.js'

/** The table of locks: each row read and written in one statement. There are no messages. */
export class MysqlTable implements VersionedTable {
  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly ties: Pick<MysqlTies, 'ended'>,
  ) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const asked = question(this.statements.read, [keyspace, storedName(name).name], 'read', name)
    const row = await this.connections.read(asked, (rows) => readVersioned(only(rows)))
    return { ...row, endedTies: await this.#endedTies(row.packed?.rest, name) }
  }

  async write(keyspace: Keyspace, name: string, version: bigint, packed: Packed): Promise<boolean> {
    const { owner, holds, endsAt, fence, rest } = packed
    const stored = storedName(name)
    const isNew = version === 0n
    const statement = isNew ? this.statements.insert : this.statements.update
    const values = [
      owner ?? null,
      String(holds),
      endsAt === undefined ? null : microsecondsOf(endsAt),
      fence === undefined ? null : String(fence),
      rest === undefined ? null : asciiJson(rest),
      keyspace,
      stored.name,
      isNew ? stored.fullName : String(version),
    ]
    try {
      return await this.connections.read(question(statement, values, 'write', name), isDone)
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  async #endedTies(rest: string | undefined, name: string): Promise<ReadonlySet<string>> {
    const ended = new Set<string>()
    for (const tie of tiesIn(rest)) if (await this.ties.ended(tie, name)) ended.add(tie)
    return ended
  }
}
