import { STRIPES } from '../program/resource.js'
import { type Database, type Operator, operating, WORKER } from '../topologies/database.js'
import { databaseTopologies, serverTopologies } from '../topologies/topology.js'
import { type Nemesis, type Scene, SHORT_LEASE } from './nemesis.js'

const UNPOOLED = serverTopologies.filter((name) => name !== 'postgres-pooler')

interface Dialect {
  /** Locks every row, until the end of the transaction. */
  readonly lockRows: string
  readonly lockTable: readonly string[]
  readonly unlockTable: string
  readonly beginSnapshot: string
  /** Ends sessions of workers, or what they do; all of them, or those in mid-statement. */
  end(operator: Operator, what: 'session' | 'statement', which: 'all' | 'busy'): Promise<unknown>
  /** Limits for workers' new sessions that end them, and their statements, as soon as the server can. */
  readonly limits: readonly string[]
}

const LOCK_ROWS = 'SELECT name FROM holdfast_locks FOR UPDATE'

const postgres: Dialect = {
  lockRows: LOCK_ROWS,
  lockTable: ['BEGIN', 'LOCK TABLE holdfast_locks IN ACCESS EXCLUSIVE MODE'],
  unlockTable: 'COMMIT',
  beginSnapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ',
  end: ({ ask }, what, which) =>
    ask(`SELECT ${what === 'session' ? 'pg_terminate_backend' : 'pg_cancel_backend'}(pid) FROM pg_stat_activity
      WHERE usename = '${WORKER.user}' ${which === 'busy' ? "AND state = 'active'" : ''}`),
  limits: [
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
    'idle_session_timeout',
  ].map(
    (setting) =>
      `ALTER ROLE ${WORKER.user} SET ${setting} = '${setting === 'idle_session_timeout' ? 400 : 1}ms'`,
  ),
}

const mysql: Dialect = {
  lockRows: LOCK_ROWS,
  lockTable: ['LOCK TABLES holdfast_locks WRITE'],
  unlockTable: 'UNLOCK TABLES',
  beginSnapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  async end({ ask }, what, which) {
    const busy = which === 'busy' ? "AND command <> 'Sleep'" : ''
    const sessions = await ask(
      `SELECT id AS id FROM information_schema.processlist WHERE user = '${WORKER.user}' ${busy}`,
    )
    // One that has ended by itself meanwhile is no matter.
    for (const { id } of sessions)
      await ask(`KILL ${what === 'session' ? 'CONNECTION' : 'QUERY'} ${String(id)}`).catch(() => [])
  },
  limits: [
    'SET GLOBAL wait_timeout = 1, GLOBAL lock_wait_timeout = 1, GLOBAL innodb_lock_wait_timeout = 1',
    'SET GLOBAL /*M!100101 max_statement_time = 0.02 */ /*!80000 max_execution_time = 20 */',
  ],
}

function dialectOf({ product }: Database): Dialect {
  return product === 'PostgreSQL' ? postgres : mysql
}

function databaseOf({ topology }: Scene): Database {
  const { database, name } = topology
  if (!database) throw new Error(`${name} is no database`)
  return database
}

/** A server hangs. When it goes on, it also does what was given up meanwhile. */
export const databasePause: Nemesis = {
  name: 'database-pause',
  topologies: serverTopologies,
  strays: true,
  async strike(scene) {
    const { primary, replica } = databaseOf(scene)
    const servers = [primary, replica].flatMap((server) => server ?? [])
    const server = scene.random.pick(servers)
    await scene.fault(
      `SIGSTOP of ${server === primary ? 'the server' : 'its synchronous replica'}`,
      async () => {
        await server.pause()
        await scene.pause(100, 3_000)
        await server.resume()
      },
      { cutsOff: true },
    )
  },
}

export const databaseRestart: Nemesis = {
  name: 'database-restart',
  topologies: serverTopologies,
  async strike(scene) {
    const { primary } = databaseOf(scene)
    await scene.fault(
      'SIGKILL of the server, and a start',
      async () => {
        await primary?.kill()
        await primary?.start()
      },
      { cutsOff: true },
    )
    await scene.pause(1_000, 2_000)
  },
}

export const sessionKill: Nemesis = {
  name: 'session-kill',
  topologies: serverTopologies,
  strike: (scene) => endMany(scene, 'session'),
}

/** The same for their statements alone. */
export const statementCancel: Nemesis = {
  name: 'statement-cancel',
  topologies: serverTopologies,
  strike: (scene) => endMany(scene, 'statement'),
}

async function endMany(scene: Scene, what: 'session' | 'statement'): Promise<void> {
  const database = databaseOf(scene)
  const { lockRows, end } = dialectOf(database)
  const busy = scene.random.chance(0.7)
  await scene.fault(
    `${busy ? 'busy' : 'all'} ${what}s of workers ended`,
    () =>
      operating(database, async (operator) => {
        if (!busy) return await end(operator, what, 'all')
        await operator.ask('BEGIN')
        await operator.ask(lockRows)
        await scene.pause(20, 300)
        await end(operator, what, 'busy')
        return await operator.ask('COMMIT')
      }),
    { cutsOff: true },
  )
}

/** The operator has set limits by which sessions end while they are idle, and statements at once. */
export const sessionLimits: Nemesis = {
  name: 'session-limits',
  topologies: UNPOOLED,
  async strike(scene) {
    const database = databaseOf(scene)
    const { limits, end } = dialectOf(database)
    await scene.fault(
      'limits for sessions, statements and waits',
      () =>
        operating(database, async (operator) => {
          for (const limit of limits) await operator.ask(limit)
          await end(operator, 'session', 'all')
        }),
      { cutsOff: true },
    )
    while (scene.goesOn) await scene.pause(100, 100)
  },
}

/** Two transactions of others lock rows in opposite orders, until one is the victim of their deadlock. */
export const rowLocks: Nemesis = {
  name: 'row-locks',
  topologies: serverTopologies,
  async strike(scene) {
    const { random, resources, fault, pause } = scene
    const database = databaseOf(scene)
    const names = random.shuffled(
      resources.flatMap(({ kind, name }) =>
        kind === 'striped' ? Array.from({ length: STRIPES }, (_, index) => `${name}:${index}`) : [name],
      ),
    )
    const lockAll = (order: readonly string[]): Promise<void> =>
      operating(database, async ({ ask }) => {
        await ask('BEGIN')
        try {
          for (const name of order) {
            await ask(`SELECT name FROM holdfast_locks WHERE name = '${name}' FOR UPDATE`)
            await pause(0, 30)
          }
        } catch {
          // The victim.
        }
        await ask('ROLLBACK')
      })
    await fault(
      'rows locked in two orders',
      () => Promise.all([lockAll(names), lockAll(names.toReversed())]),
      {
        cutsOff: true,
      },
    )
  },
}

/** The operator begins something that holds workers up, and ends it after a while. */
function heldUp(
  name: string,
  topologies: Nemesis['topologies'],
  what: string,
  statements: (database: Database) => readonly [begin: readonly string[], end: string],
): Nemesis {
  return {
    name,
    topologies,
    async strike(scene) {
      const database = databaseOf(scene)
      const [begin, end] = statements(database)
      const act = (): Promise<unknown> =>
        operating(database, async ({ ask }) => {
          for (const statement of begin) await ask(statement)
          await scene.pause(100, 2_500)
          return await ask(end)
        })
      await scene.fault(what, act, { cutsOff: true })
    },
  }
}

export const tableLock: Nemesis = {
  ...heldUp('table-lock', serverTopologies, 'the table locked', (database) => {
    const { lockTable, unlockTable } = dialectOf(database)
    return [lockTable, unlockTable]
  }),
  strays: true,
}

/** The server takes no writes for a while, as one does that is being replaced. */
export const readOnly = heldUp('read-only', ['mysql', 'mariadb'], 'read only', () => [
  ['SET GLOBAL read_only = 1'],
  'SET GLOBAL read_only = 0',
])

/** Another program keeps the file locked. */
export const fileLocked = heldUp('file-locked', ['sqlite'], 'the file locked', () => [
  ['BEGIN IMMEDIATE'],
  'ROLLBACK',
])

/** A transaction that stays open as long as the load lasts: what is written over cannot be cleaned up. */
export const oldSnapshot: Nemesis = {
  name: 'old-snapshot',
  topologies: databaseTopologies,
  harmless: true,
  async strike(scene) {
    const database = databaseOf(scene)
    const begin = database.product === 'SQLite' ? 'BEGIN' : dialectOf(database).beginSnapshot
    await scene.fault('a long transaction', () =>
      operating(database, async ({ ask }) => {
        await ask(begin)
        await ask(
          `SELECT count(*) FROM ${database.product === 'SQLite' ? 'holdfast_rows' : 'holdfast_locks'}`,
        )
        while (scene.goesOn) await scene.pause(100, 100)
        await ask('ROLLBACK')
      }),
    )
  },
}

export const deleteRow: Nemesis = {
  name: 'delete-row',
  losesData: true,
  topologies: databaseTopologies,
  options: SHORT_LEASE,
  async strike(scene) {
    const { random, resources, fault } = scene
    const database = databaseOf(scene)
    const rows = resources.filter(({ kind }) => kind !== 'latch')
    if (rows.length === 0) return
    const { kind, name: named } = random.pick(rows)
    const name = kind === 'striped' ? `${named}:${random.whole(0, STRIPES - 1)}` : named
    const table = database.product === 'SQLite' ? 'holdfast_rows' : 'holdfast_locks'
    await fault(
      `DELETE of ${name}`,
      () => operating(database, ({ ask }) => ask(`DELETE FROM ${table} WHERE name = '${name}'`)),
      { loses: { name } },
    )
  },
}

/** The disk is full for a while. What could not be written is refused for good. */
export const fileFull: Nemesis = {
  name: 'file-full',
  topologies: ['sqlite'],
  // Releases that were refused leave locks to their leases.
  strays: true,
  async strike(scene) {
    const { disk } = databaseOf(scene)
    if (!disk) return
    await scene.fault(
      'no room on the disk',
      async () => {
        await disk.fill()
        await scene.pause(100, 1_500)
        await disk.clear()
      },
      { cutsOff: true, refuses: true },
    )
    await scene.pause(500, 1_500)
  },
}
