/** What the operator limits or ends: sessions, statements, waits, writes. A lock stays whose it is, and each command counts once. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { mysql, mysqlSchema } from '../../src/stores/mysql/index.js'
import { bringSqlServer, type SqlServer, whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { administer, libraries } from './clients.js'

const WORKER = { user: 'worker', password: 'worker' }
const LIMITS = ['wait_timeout', 'lock_wait_timeout', 'innodb_lock_wait_timeout']

for (const [product, library, statementLimit] of [
  ['MariaDB', 'mariadb', 'max_statement_time = 0.01'],
  ['MySQL', 'mysql2', 'max_execution_time = 10'],
] as const) {
  const refusal = await whyNot(product)
  const title = refusal === undefined ? product : `${product}: skipped (${refusal})`
  describe.skipIf(refusal !== undefined)(`${title} with ${library}: limits of the operator`, () => {
    let server: SqlServer
    const clients: Holdfast[] = []

    beforeAll(async () => {
      server = await bringSqlServer(product)
      await administer(server.address, mysqlSchema())
      await administer(
        server.address,
        `CREATE USER worker IDENTIFIED BY 'worker'; GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO worker`,
      )
    })
    beforeEach(async () => {
      for (const limit of [...LIMITS, statementLimit.split(' ')[0] ?? ''])
        await administer(server.address, `SET GLOBAL ${limit} = DEFAULT`)
    })
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()))
    })
    afterAll(() => server?.stop())

    const run = (sql: string) => administer(server.address, sql)
    const open = (options?: HoldfastOptions): Holdfast => {
      const client = new Holdfast(
        mysql({ connect: () => libraries[library](server.address, WORKER) }),
        options,
      )
      clients.push(client)
      return client
    }
    const renewed = (client: Holdfast) => new Promise((resolve) => client.once('renewed', resolve))
    /** The statement of a worker that waits for a row, by its session. */
    const blocked = (): Promise<number> =>
      until(
        async () => {
          const [row] = await run(
            "SELECT id AS id FROM information_schema.processlist WHERE user = 'worker' AND command <> 'Sleep' AND info LIKE '%holdfast_locks%'",
          )
          return row && Number(row['id'])
        },
        { what: 'it waits for the row' },
      )
    const whileLocked = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const transaction = await libraries.mysql2(server.address)
      await transaction.query('BEGIN')
      await transaction.query(`SELECT 1 FROM holdfast_locks WHERE name = '${name}' FOR UPDATE`)
      await work().finally(async () => {
        await transaction.query('COMMIT')
        await transaction.end()
      })
    }

    test('limits on statements and waits, as short as they can be, do no harm', async () => {
      for (const limit of LIMITS.slice(1)) await run(`SET GLOBAL ${limit} = 1`)
      await run(`SET GLOBAL ${statementLimit}`)
      const [one, other] = [open(), open()]
      const name = randomUUID()
      let inside = 0
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? one : other).lock(name).withLock(() => {
            inside += 1
            expect(inside).toBe(1)
            inside -= 1
          }),
        ),
      )
    })

    test('sessions that end as soon as they are idle cost a holder nothing, nor a waiter', async () => {
      await run('SET GLOBAL wait_timeout = 1')
      const [one, other] = [open({ watchdogMs: 6_000 }), open()]
      const name = randomUUID()
      const hold = await one.lock(name).acquire()
      const acquiring = other.lock(name).acquire()
      for (let renewals = 0; renewals < 2; renewals += 1) await renewed(one)
      hold.assertHeld()
      await hold.release()
      await (await acquiring).release()
    })

    test.each(['QUERY', 'CONNECTION'])('KILL %s in mid-statement: what it did counts once', async (what) => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      const lock = one.lock(name)
      await (await lock.acquire()).release()
      await one.run(async () => {
        let acquiring: Promise<void> | undefined
        await whileLocked(name, async () => {
          acquiring = lock.lock()
          await run(`KILL ${what} ${await blocked()}`)
        })
        await acquiring
        expect(await lock.holdCount()).toBe(1)
        await lock.lock()
        let releasing: Promise<void> | undefined
        await whileLocked(name, async () => {
          releasing = lock.unlock()
          await run(`KILL ${what} ${await blocked()}`)
        })
        await releasing
        expect(await lock.holdCount()).toBe(1)
        expect(await other.lock(name).tryAcquire()).toBeNull()
        await lock.unlock()
      })
      await (await other.lock(name).acquire({ waitMs: 1_000 })).release()
    })

    test('a server that takes no writes for a while suspends a hold, and does not cost it', async () => {
      const client = open({ watchdogMs: 9_000 })
      const hold = await client.lock(randomUUID()).acquire()
      const suspended = new Promise((resolve) => client.once('suspended', resolve))
      await run('SET GLOBAL read_only = 1')
      await suspended
      hold.assertHeld()
      await run('SET GLOBAL read_only = 0')
      await renewed(client)
      hold.assertHeld()
      await hold.release()
    })
  })
}
