import type { Database } from './database.js'
import { hasEnded, ownMark, type ProcessMark } from './process-mark.js'

interface Known {
  readonly boot: string | undefined
  readonly mark: ProcessMark
}

/** Clients of other machines, containers or systems that do not tell whether a process lives are forgotten when not seen for so long. */
const FORGET_MS = 6 * 60 * 60_000

/** The table of clients: which process each of them is, and whether it hears messages. */
export class Clients {
  readonly #own = ownMark()
  /** The unchanging parts of other clients. */
  readonly #known = new Map<string, Known>()

  constructor(
    private readonly me: string,
    private readonly boot: string | undefined,
  ) {}

  /** This client's row, so that others see when its process ends. */
  register(database: Database, listens: boolean): void {
    const { pid, started = null, namespace = null } = this.#own
    database.run(
      `INSERT INTO holdfast_clients VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET listens = excluded.listens, seen_at = excluded.seen_at`,
      this.me,
      this.boot ?? null,
      pid,
      started,
      namespace,
      listens ? 1 : 0,
      database.now,
    )
  }

  unregister(database: Database): void {
    remove(database, this.me)
  }

  reaches(database: Database, client: string): boolean {
    return this.listens(database, client) && !this.ended(database, client)
  }

  /** Whether that client's row, by default this client's own, says that it listens. */
  listens(database: Database, client = this.me): boolean {
    return database.one('SELECT listens FROM holdfast_clients WHERE id = ?', client) === 1
  }

  /** Whether the client's process has surely ended, perhaps because the machine has started anew. */
  ended(database: Database, client: string): boolean {
    if (client === this.me) return false
    const known = this.#find(database, client)
    if (!known) return false
    if (known.boot !== undefined && this.boot !== undefined && known.boot !== this.boot) return true
    return hasEnded(known.mark, this.#own)
  }

  /**
   * Forgets and returns the ended clients, except those that a row names: their holds are free only while the file says that they have
   * ended.
   */
  forget(database: Database): string[] {
    this.#known.clear()
    const gone = database
      .all('SELECT id, seen_at FROM holdfast_clients')
      .flatMap(([id, seenAt]) =>
        typeof id === 'string' && typeof seenAt === 'number' ? [{ id, seenAt }] : [],
      )
      .filter(
        ({ id, seenAt }) =>
          this.ended(database, id) ||
          (id !== this.me && seenAt < database.now - FORGET_MS && !this.#lives(database, id)),
      )
    if (gone.length === 0) return []
    const named = database
      .all(
        `SELECT owner, waiting, rest FROM holdfast_rows WHERE owner IS NOT NULL OR waiting <> '' OR rest IS NOT NULL`,
      )
      .join(' ')
    const forgotten = gone.map(({ id }) => id).filter((id) => !named.includes(id))
    for (const id of forgotten) remove(database, id)
    return forgotten
  }

  /** Whether this process can see that the client's process lives. */
  #lives(database: Database, client: string): boolean {
    const known = this.#find(database, client)
    return (
      known !== undefined &&
      known.boot === this.boot &&
      known.mark.namespace === this.#own.namespace &&
      !hasEnded(known.mark, this.#own)
    )
  }

  #find(database: Database, client: string): Known | undefined {
    const known = this.#known.get(client)
    if (known) return known
    const [row] = database.all(
      'SELECT boot, pid, started, namespace FROM holdfast_clients WHERE id = ?',
      client,
    )
    if (!row) return undefined
    const [boot, pid, started, namespace] = row
    if (typeof pid !== 'number') return undefined
    const found = {
      boot: textOf(boot),
      mark: { pid, started: textOf(started), namespace: textOf(namespace) },
    }
    this.#known.set(client, found)
    return found
  }
}

function remove(database: Database, client: string): void {
  database.run('DELETE FROM holdfast_messages WHERE client = ?', client)
  database.run('DELETE FROM holdfast_clients WHERE id = ?', client)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
