import { createConnection } from 'mysql2/promise'
import { mysqlSchema } from '../../../src/stores/mysql/index.js'
import { bringSqlServer, type SqlServer } from '../../servers/sql/index.js'
import { orUndo } from '../../servers/until.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Account, Route } from '../order.js'
import { type Database, LEDGER, type Operator, operating, type Row, WORKER } from './database.js'
import type { Topology } from './topology.js'

/** What a nemesis may have set. */
const LIMITS = [
  'wait_timeout',
  'lock_wait_timeout',
  'innodb_lock_wait_timeout',
  '/*M!100101 max_statement_time */ /*!80000 max_execution_time */',
]

/** MySQL by `mysql2`, MariaDB by `mariadb`. */
export async function bringMysql(name: 'mysql' | 'mariadb'): Promise<Topology> {
  const product = name === 'mysql' ? 'MySQL' : 'MariaDB'
  const library = name === 'mysql' ? 'mysql2' : 'mariadb'
  const server = await bringSqlServer(product)
  const to = ({ host, port }: Endpoint, { user, password }: Account): Route => {
    return { to: 'mysql', library, server: { host, port }, user, password }
  }
  const database: Database = { product, primary: server, operate: () => operate(server) }
  const stop = (): Promise<void> => server.stop()
  await orUndo(stop, () =>
    operating(database, async ({ ask }) => {
      const { user, password } = WORKER
      await ask(mysqlSchema())
      await ask(LEDGER)
      await ask(`CREATE USER ${user}@'%' IDENTIFIED BY '${password}'`)
      await ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO ${user}@'%'`)
      await ask(`GRANT SELECT, INSERT ON ledger TO ${user}@'%'`)
    }),
  )
  return {
    name,
    servers: [],
    database,
    direct: to(server.address, server.address),
    async empty() {
      await operating(database, async ({ ask }) => {
        await ask('SET GLOBAL read_only = 0')
        for (const setting of LIMITS) await ask(`SET GLOBAL ${setting} = DEFAULT`)
        await ask('DELETE FROM holdfast_locks')
        await ask('DELETE FROM ledger')
      })
    },
    async route() {
      const wire = await Wire.before(server.address)
      return { route: to(wire, WORKER), wires: [wire] }
    },
    stop,
  }
}

async function operate({ address }: SqlServer): Promise<Operator> {
  const { host, port, user, password, database } = address
  const connection = await createConnection({ host, port, user, password, database })
  connection.on('error', () => undefined)
  return {
    async ask(statement) {
      const [rows] = await connection.query(statement)
      return Array.isArray(rows) ? rows.map((row): Row => ({ ...row })) : []
    },
    end: () => connection.end(),
  }
}
