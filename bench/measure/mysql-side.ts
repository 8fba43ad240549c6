import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { mysqlSchema } from '../../dist/mysql/index.js'
import { bringSqlServer, type SqlServer } from '../../test/servers/sql/index.js'
import { processCpuMs } from './process-cpu.js'
import type { ServerSide, ServerTraffic } from './server-side.js'
import { peerTables, tableNames } from './tables.js'

/** What is committed is on the disk, as in any installation; room as in a small one. */
const SETTINGS = {
  innodb_buffer_pool_size: '128M',
  innodb_flush_log_at_trx_commit: '1',
  max_connections: '300',
}

/** The harness's own connection to the MySQL or MariaDB that is measured. */
export class MysqlSide implements ServerSide {
  readonly version: string
  #before = 0

  private constructor(
    readonly server: SqlServer,
    private readonly connection: Connection,
    version: string,
  ) {
    this.version = version
  }

  static async bring(product: 'MySQL' | 'MariaDB'): Promise<MysqlSide> {
    const server = await bringSqlServer(product, { settings: SETTINGS })
    const { host, port, user, password, database } = server.address
    const connection = await createConnection({ host, port, user, password, database })
    for (const statement of [mysqlSchema(), ...peerTables.MySQL]) await connection.query(statement)
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version')
    const version = String(rows[0]?.['version']).split('-')[0]
    return new MysqlSide(server, connection, `${product} ${version}`)
  }

  async clear(): Promise<void> {
    for (const table of tableNames) await this.connection.query(`TRUNCATE ${table}`)
  }

  async resetCounters(): Promise<void> {
    this.#before = await this.#questions()
  }

  cpuMs(): Promise<number | undefined> {
    return processCpuMs(this.server.pid)
  }

  /** The question how many there were is one of them. */
  async traffic(): Promise<ServerTraffic> {
    return { commands: (await this.#questions()) - this.#before - 1 }
  }

  async tableBytes(): Promise<number> {
    const [rows] = await this.connection.query<RowDataPacket[]>(
      `SELECT FILE_SIZE AS bytes FROM information_schema.${this.#spaces}
      WHERE NAME = CONCAT(DATABASE(), '/holdfast_locks')`,
    )
    return Number(rows[0]?.['bytes'])
  }

  async close(): Promise<void> {
    this.connection.destroy()
    await this.server.stop()
  }

  /** What clients asked, prepared or not; preparing does not count. */
  async #questions(): Promise<number> {
    const [rows] = await this.connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'")
    return Number(rows[0]?.['Value'])
  }

  get #spaces(): string {
    return this.version.startsWith('MariaDB') ? 'INNODB_SYS_TABLESPACES' : 'INNODB_TABLESPACES'
  }
}
