import { locksOf } from '../program/resource.js'
import { type Database, type Operator, operating, WORKER } from '../topologies/database.js'
import { databaseTopologies, serverTopologies } from '../topologies/topology.js'
import { type Nemesis, nemesis, type Scene, SHORT_LEASE, type Traits } from './nemesis.js'

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
    ...['statement_timeout = 1', 'lock_timeout = 1', 'idle_in_transaction_session_timeout = 1'],
    'idle_session_timeout = 400',
  ].map((limit) => `ALTER ROLE ${WORKER.user} SET ${limit}`),
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

type Work = (scene: Scene, database: Database) => Promise<void>

function onRows(name: string, where: Nemesis['topologies'], traits: Traits, work: Work): Nemesis {
  return nemesis(name, where, traits, async (scene) => {
    const { database } = scene.topology
    if (!database) throw new Error(`${scene.topology.name} is no database`)
    await work(scene, database)
  })
}

/** One at which workers do not get through to the database meanwhile. */
function cutOff(
  name: string,
  where: Nemesis['topologies'],
  what: string,
  act: Work,
  traits: Traits = {},
): Nemesis {
  return onRows(name, where, traits, (scene, database) =>
    scene.fault(what, () => act(scene, database), { cutsOff: true }),
  )
}

const STRAYS = { strays: true }

/** A server hangs. When it goes on, it also does what was given up meanwhile. */
export const databasePause = onRows('database-pause', serverTopologies, STRAYS, async (scene, database) => {
  const { primary, replica } = database
  const server = scene.random.pick([primary, replica].flatMap((each) => each ?? []))
  const hang = async (): Promise<void> => {
    await server.pause()
    await scene.pause(100, 3_000)
    await server.resume()
  }
  const which = server === primary ? 'the server' : 'its synchronous replica'
  await scene.fault(`SIGSTOP of ${which}`, hang, { cutsOff: true })
})

export const databaseRestart = onRows('database-restart', serverTopologies, {}, async (scene, database) => {
  const { primary } = database
  const restart = async (): Promise<void> => {
    await primary?.kill()
    await primary?.start()
  }
  await scene.fault('SIGKILL of the server, and a start', restart, { cutsOff: true })
  await scene.pause(1_000, 2_000)
})

function endsMany(name: string, what: 'session' | 'statement'): Nemesis {
  return onRows(name, serverTopologies, {}, async (scene, database) => {
    const { lockRows, end } = dialectOf(database)
    const busy = scene.random.chance(0.7)
    const act = (): Promise<unknown> =>
      operating(database, async (operator) => {
        if (!busy) return await end(operator, what, 'all')
        await operator.ask('BEGIN')
        await operator.ask(lockRows)
        await scene.pause(20, 300)
        await end(operator, what, 'busy')
        return await operator.ask('COMMIT')
      })
    await scene.fault(`${busy ? 'busy' : 'all'} ${what}s of workers ended`, act, { cutsOff: true })
  })
}

export const sessionKill = endsMany('session-kill', 'session')
export const statementCancel = endsMany('statement-cancel', 'statement')

/** The operator has set limits by which sessions end while they are idle, and statements at once. */
export const sessionLimits = onRows('session-limits', UNPOOLED, {}, async (scene, database) => {
  const { limits, end } = dialectOf(database)
  const limit = (): Promise<void> =>
    operating(database, async (operator) => {
      for (const statement of limits) await operator.ask(statement)
      await end(operator, 'session', 'all')
    })
  await scene.fault('limits for sessions, statements and waits', limit, { cutsOff: true })
  while (scene.goesOn) await scene.pause(100, 100)
})

/** Two transactions of others lock rows in opposite orders, until one is the victim of their deadlock. */
export const rowLocks = cutOff(
  'row-locks',
  serverTopologies,
  'rows locked in two orders',
  async ({ random, resources, pause }, database) => {
    const names = random.shuffled(resources.flatMap(locksOf))
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
    await Promise.all([lockAll(names), lockAll(names.toReversed())])
  },
)

/** What an operator does that holds workers up, and ends after a while. */
function heldUp(statements: (database: Database) => readonly [begin: readonly string[], end: string]): Work {
  return (scene, database) =>
    operating(database, async ({ ask }) => {
      const [begin, end] = statements(database)
      for (const statement of begin) await ask(statement)
      await scene.pause(100, 2_500)
      await ask(end)
    })
}

const lockTable = heldUp((database) => {
  const { lockTable, unlockTable } = dialectOf(database)
  return [lockTable, unlockTable]
})
export const tableLock = cutOff('table-lock', serverTopologies, 'the table locked', lockTable, STRAYS)

/** The server takes no writes for a while, as one does that is being replaced. */
const refuseWrites = heldUp(() => [['SET GLOBAL read_only = 1'], 'SET GLOBAL read_only = 0'])
export const readOnly = cutOff('read-only', ['mysql', 'mariadb'], 'read only', refuseWrites)

/** Another program keeps the file locked. */
const lockFile = heldUp(() => [['BEGIN IMMEDIATE'], 'ROLLBACK'])
export const fileLocked = cutOff('file-locked', ['sqlite'], 'the file locked', lockFile)

function tableOf({ product }: Database): string {
  return product === 'SQLite' ? 'holdfast_rows' : 'holdfast_locks'
}

const HARMLESS = { harmless: true }

/** A transaction that stays open as long as the load lasts: what is written over cannot be cleaned up. */
export const oldSnapshot = onRows('old-snapshot', databaseTopologies, HARMLESS, async (scene, database) => {
  const begin = database.product === 'SQLite' ? 'BEGIN' : dialectOf(database).beginSnapshot
  await scene.fault('a long transaction', () =>
    operating(database, async ({ ask }) => {
      await ask(begin)
      await ask(`SELECT count(*) FROM ${tableOf(database)}`)
      while (scene.goesOn) await scene.pause(100, 100)
      await ask('ROLLBACK')
    }),
  )
})

const LOSES = { losesData: true, ...SHORT_LEASE }

export const deleteRow = onRows('delete-row', databaseTopologies, LOSES, async (scene, database) => {
  const rows = scene.resources.filter(({ kind }) => kind !== 'latch')
  if (rows.length === 0) return
  const name = scene.random.pick(locksOf(scene.random.pick(rows)))
  const statement = `DELETE FROM ${tableOf(database)} WHERE name = '${name}'`
  await scene.fault(`DELETE of ${name}`, () => operating(database, ({ ask }) => ask(statement)), {
    loses: { name },
  })
})

/** The disk is full for a while. What could not be written is refused for good. Releases that were refused leave locks to their leases. */
export const fileFull = onRows('file-full', ['sqlite'], STRAYS, async (scene, { disk }) => {
  if (!disk) return
  const act = async (): Promise<void> => {
    await disk.fill()
    await scene.pause(100, 1_500)
    await disk.clear()
  }
  await scene.fault('no room on the disk', act, { cutsOff: true, refuses: true })
  await scene.pause(500, 1_500)
})
