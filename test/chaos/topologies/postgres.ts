import pg from 'pg'
import { postgresSchema } from '../../../src/stores/postgres/index.js'
import { bringPooler, pooler } from '../../postgres/pooler.js'
import { bringSqlServer, PostgresPair, type SqlServer } from '../../servers/sql/index.js'
import { orUndo } from '../../servers/until.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import { now } from '../history/event.js'
import type { Account, Route } from '../order.js'
import { type Database, LEDGER, type Operator, operating, WORKER } from './database.js'
import type { Topology } from './topology.js'

/** A deadlock is found out soon. */
const SETTINGS = { deadlock_timeout: '200ms', max_connections: '200' }

/** One server. Pooled: between the workers and it stands a pooler that gives each statement another connection. */
export async function bringPostgres(pooled = false): Promise<Topology> {
  if (pooled && pooler === undefined) throw new Error('no PgBouncer: apt-get install pgbouncer')
  const server = await bringSqlServer('PostgreSQL', { settings: SETTINGS })
  const stop = (): Promise<void> => server.stop()
  return await orUndo(stop, async (): Promise<Topology> => {
    const database: Database = { product: 'PostgreSQL', primary: server, operate: () => operate(server) }
    await prepare(database)
    const between = pooled && pooler ? await bringPooler(pooler, { ...server.address, ...WORKER }) : undefined
    return {
      name: pooled ? 'postgres-pooler' : 'postgres',
      servers: [],
      database,
      direct: to(server.address, server.address),
      empty: () => empty(database),
      async route() {
        const wire = await Wire.before(between?.address ?? server.address)
        return { route: to(wire, WORKER), wires: [wire] }
      },
      async stop() {
        await between?.stop()
        await server.stop()
      },
    }
  })
}

/**
 * A primary and its replica, which takes its place once: the address by which workers know the primary leads there then.
 * @param synchronous whether the replica has all that was answered
 */
export async function bringPostgresPair(synchronous: boolean): Promise<Topology> {
  const pair = await PostgresPair.start({ synchronous, settings: SETTINGS })
  const wires: Wire[] = []
  let spent = false
  const stop = (): Promise<void> => pair.stop()
  return await orUndo(stop, async (): Promise<Topology> => {
    const database: Database = {
      product: 'PostgreSQL',
      get primary() {
        return spent ? pair.replica : pair.primary
      },
      ...(synchronous && { replica: pair.replica }),
      operate: () => operate(spent ? pair.replica : pair.primary),
    }
    await prepare(database)
    await pair.untilFollows()
    return {
      name: synchronous ? 'postgres-sync' : 'postgres-async',
      servers: [],
      database,
      get direct() {
        const { address } = spent ? pair.replica : pair.primary
        return to(address, address)
      },
      get spent() {
        return spent
      },
      empty: () => empty(database),
      async fallBehind() {
        if (synchronous || spent) return 'nothing'
        const since = now()
        await pair.fallBehind()
        return { since }
      },
      async failover() {
        if (spent) return
        await pair.primary.kill()
        await pair.promote()
        spent = true
        for (const wire of wires) {
          wire.redirect(pair.replica.address)
          wire.breakAll()
        }
      },
      async route() {
        const wire = await Wire.before((spent ? pair.replica : pair.primary).address)
        wires.push(wire)
        return { route: to(wire, WORKER), wires: [wire] }
      },
      stop,
    }
  })
}

function to({ host, port }: Endpoint, { user, password }: Account): Route {
  return { to: 'postgres', server: { host, port }, user, password }
}

async function operate({ address }: SqlServer): Promise<Operator> {
  const { dir, port, user, database } = address
  const client = new pg.Client({ host: dir, port, user, database, application_name: 'operator' })
  client.on('error', () => undefined)
  await client.connect()
  return {
    async ask(statement) {
      const { rows } = await client.query(statement)
      return rows ?? []
    },
    end: () => client.end(),
  }
}

async function prepare(database: Database): Promise<void> {
  const { user, password } = WORKER
  await operating(database, ({ ask }) =>
    ask(`${postgresSchema()};
      ${LEDGER};
      CREATE ROLE ${user} LOGIN PASSWORD '${password}';
      GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO ${user};
      GRANT SELECT, INSERT ON ledger TO ${user}`),
  )
}

async function empty(database: Database): Promise<void> {
  await operating(database, ({ ask }) =>
    ask(`TRUNCATE holdfast_locks, ledger; ALTER ROLE ${WORKER.user} RESET ALL`),
  )
}
