import type { Message, Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import { only } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { isQueueFull } from './failure.js'
import { channelOf, payloadsOf } from './messages.js'
import type { NotifyQueue } from './notify-queue.js'
import { isDone, readVersioned } from './row.js'
import type { SeenRows } from './seen-rows.js'
import { type Statements, textArray } from './statements.js'
import { storedName } from './stored-name.js'

/** The table of locks: each row read and written in one statement, messages sent with it. */
export class PostgresTable implements VersionedTable {
  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly seen: SeenRows,
    private readonly queue: NotifyQueue,
  ) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const seen = keyspace === 'lock' ? this.seen.take(name) : undefined
    await this.queue.look()
    const asked = question(this.statements.read, [keyspace, storedName(name).name], 'read', name)
    const row = seen ?? (await this.connections.read(asked, (rows) => readVersioned(only(rows))))
    return this.queue.full ? this.queue.deaf(row) : row
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
    // While the queue is full, the read of the row counts nobody as reachable: clients find out the rest by themselves.
    const tells = messages.length > 0 && !this.queue.full
    const stored = storedName(name)
    const told = messages.flatMap(([client, message], index) =>
      payloadsOf(message, index).map((payload) => ({ channel: channelOf(client), payload })),
    )
    const statement = isNew ? (tells ? insertAndTell : insert) : tells ? updateAndTell : update
    const values = [
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
    ]
    try {
      return await this.connections.read(question(statement, values, 'write', name), isDone)
    } catch (error) {
      if (!tells || !isQueueFull(error)) throw error
      // The statement wrote nothing. Try again, for a row whose clients are out of reach.
      this.queue.found(true)
      return false
    }
  }
}
