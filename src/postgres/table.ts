import type { Message, Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import type { Connections } from '../sql/connections.js'
import { channelOf, payloadsOf } from './messages.js'
import { readVersioned } from './row.js'
import type { SeenRows } from './seen-rows.js'
import type { Statements } from './statements.js'
import { storedName } from './stored-name.js'
import { textArray } from './text-array.js'

/** The table of locks: each row read and written in one statement, messages sent with it. */
export class PostgresTable implements VersionedTable {
  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly seen: SeenRows,
  ) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const seen = keyspace === 'lock' ? this.seen.take(name) : undefined
    if (seen) return seen
    const [row] = await this.connections.query({
      statement: this.statements.read,
      values: [keyspace, storedName(name).name],
      about: { command: 'read', lockName: name },
    })
    return readVersioned(row)
  }

  async write(
    keyspace: Keyspace,
    name: string,
    version: bigint,
    { owner, holds, endsAt, fence, waiting, rest }: Packed,
    messages: ReadonlyArray<readonly [client: string, message: Message]>,
  ): Promise<boolean> {
    const { insert, insertAndTell, update, updateAndTell } = this.statements
    const isNew = version === 0n
    const tells = messages.length > 0
    const stored = storedName(name)
    const told = messages.flatMap(([client, message], index) =>
      payloadsOf(message, index).map((payload) => ({ channel: channelOf(client), payload })),
    )
    const rows = await this.connections.query({
      statement: isNew ? (tells ? insertAndTell : insert) : tells ? updateAndTell : update,
      values: [
        keyspace,
        stored.name,
        isNew ? stored.fullName : String(version),
        owner ?? null,
        String(holds),
        endsAt === undefined ? null : String(endsAt),
        fence === undefined ? null : String(fence),
        textArray(waiting),
        rest ?? null,
        ...(tells
          ? [textArray(told.map(({ channel }) => channel)), textArray(told.map(({ payload }) => payload))]
          : []),
      ],
      about: { command: 'write', lockName: name },
    })
    return rows.length > 0
  }
}
