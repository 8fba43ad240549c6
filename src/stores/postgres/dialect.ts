import { StoreError } from '../../base/errors/errors.js'
import type { StoreSettings } from '../../port/store.js'
import { aText } from '../rows/parts.js'
import type { SqlConnection } from '../sql/connection.js'
import { only } from '../sql/connection.js'
import { type Dialect, tableMaker } from '../sql/connector.js'
import { readBy } from '../sql/question.js'
import { isBelow, tooOld } from '../sql/version.js'
import type { ListeningConnection, MakeConnection } from './connection.js'
import { failureOf, isWornOut, showsPooler } from './failure.js'
import { statements } from './statements.js'

/** The oldest version that the tests run with. */
const OLDEST = 13

/** The longest that PostgreSQL takes for a setting. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Connections to PostgreSQL, and whether they lead through a pooler. */
export class PostgresDialect implements Dialect<ListeningConnection> {
  readonly failureOf = failureOf
  #pooled = false

  /** @param makeTable makes the table that they need, if they need one */
  constructor(
    private readonly makeConnection: MakeConnection,
    private readonly settings: Pick<StoreSettings, 'commandTimeoutMs' | 'onError'>,
    private readonly makeTable?: (connection: SqlConnection) => Promise<void>,
  ) {}

  /**
   * Whether a pooler surely stands between, and gives each statement another server process: then prepared statements, LISTEN and all else
   * that belongs to one server process do not work.
   */
  get pooled(): boolean {
    return this.#pooled
  }

  make(): ListeningConnection {
    return this.makeConnection(() => !this.#pooled)
  }

  async introduce(connection: ListeningConnection): Promise<void> {
    const { processId } = connection
    const asked = connection.query(statements.hello, [
      processId === undefined ? null : String(processId),
      String(Math.min(Math.ceil(this.settings.commandTimeoutMs), LONGEST_TIMEOUT_MS)),
    ])
    const [version, pid] = await readBy({ command: 'connect' }, asked, (rows) =>
      ['version', 'pid'].map((column) => aText(only(rows)[column], column)),
    )
    if (version === undefined || isBelow(version, [OLDEST, 0]))
      throw tooOld('PostgreSQL', version ?? '', String(OLDEST))
    if (processId !== undefined && pid !== String(processId)) this.foundPooler()
    await this.makeTable?.(connection)
  }

  isWornOut(error: unknown): boolean {
    if (showsPooler(error)) this.foundPooler()
    return isWornOut(error)
  }

  /** A pooler stands between. The client tells the application once. */
  foundPooler(): void {
    if (this.#pooled) return
    this.#pooled = true
    this.settings.onError(poolerError())
  }
}

/** Makes the table of locks where there is none. */
export function postgresTableMaker(createTable: string | undefined, table: string) {
  return tableMaker(createTable, async (connection) => {
    const [row] = await connection.query(statements.exists, [table])
    return typeof row?.['found'] === 'string'
  })
}

export function poolerError(): StoreError {
  return new StoreError('not-ready', 'LISTEN', {
    transient: false,
    hint:
      'A connection pooler stands between Holdfast and PostgreSQL, so no messages come: calls that wait ask again and again instead. ' +
      'Connect to the server directly.',
  })
}
