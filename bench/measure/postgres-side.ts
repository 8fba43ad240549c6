import pg from 'pg'
import { postgresSchema } from '../../dist/postgres/index.js'
import { bringSqlServer, type SqlServer } from '../../test/servers/sql/index.js'
import { processCpuMs } from './process-cpu.js'
import type { ServerSide, ServerTraffic } from './server-side.js'
import { peerTables, tableNames } from './tables.js'

/** What is committed is on the disk, as in any installation; room as in a small one. */
const SETTINGS = { fsync: 'on', shared_buffers: '128MB', max_wal_size: '1GB', max_connections: '200' }
const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

/** The harness's own connections to the PostgreSQL that is measured. */
export class PostgresSide implements ServerSide {
  readonly version: string

  private constructor(
    readonly server: SqlServer,
    private readonly client: pg.Client,
    /** In a database of its own, so that what it asks is not counted; absent where the server cannot count. */
    private readonly counters: pg.Client | undefined,
    version: string,
  ) {
    this.version = `PostgreSQL ${version}`
  }

  static async bring(): Promise<PostgresSide> {
    const counts = await bringSqlServer('PostgreSQL', { settings: { ...SETTINGS, ...COUNTING } }).catch(
      () => undefined,
    )
    const server = counts ?? (await bringSqlServer('PostgreSQL', { settings: SETTINGS }))
    const client = await connected(server)
    for (const statement of [postgresSchema(), ...peerTables.PostgreSQL]) await client.query(statement)
    const counters = counts && (await connected(server, 'postgres'))
    await counters?.query('CREATE EXTENSION pg_stat_statements')
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return new PostgresSide(server, client, counters, rows[0]?.server_version.split(' ')[0] ?? '')
  }

  async clear(): Promise<void> {
    await this.client.query(`TRUNCATE ${tableNames.join(', ')}`)
  }

  async resetCounters(): Promise<void> {
    await this.counters?.query('SELECT pg_stat_statements_reset()')
  }

  cpuMs(): Promise<number | undefined> {
    return processCpuMs(this.server.pid)
  }

  async traffic(): Promise<ServerTraffic> {
    const answer = await this.counters?.query<{ calls: string }>(
      `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)`,
      [this.server.address.database],
    )
    return { commands: answer && Number(answer.rows[0]?.calls) }
  }

  async tableBytes(): Promise<number> {
    const { rows } = await this.client.query<{ bytes: string }>(
      "SELECT pg_total_relation_size('holdfast_locks') AS bytes",
    )
    return Number(rows[0]?.bytes)
  }

  async close(): Promise<void> {
    await Promise.all([this.client.end(), this.counters?.end()])
    await this.server.stop()
  }
}

async function connected({ address }: SqlServer, database = address.database): Promise<pg.Client> {
  const { host, port, user, password } = address
  const client = new pg.Client({ host, port, user, password, database })
  await client.connect()
  return client
}
