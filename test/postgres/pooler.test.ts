/** Behind a pooler that gives each statement another server process, locks work, and waiters poll. */
import { randomUUID } from 'node:crypto'
import pg, { type Pool } from 'pg'
import type { Sql } from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { duringAll } from '../setup/during.js'
import { bringPooler, pooler } from './pooler.js'
import { bringPostgres, libraryNames, missing, openClient, poolOf, sqlOf, title } from './server.js'
import { add } from './tally.js'

const absent = pooler ? '' : ' (PgBouncer is not on this machine: skipped; apt-get install pgbouncer)'

describe.skipIf(missing || !pooler)(`${title}: behind a pooler${absent}`, () => {
  const server = duringAll(bringPostgres)
  const bouncer = duringAll(() => bringPooler(pooler ?? '', server.address))
  let direct: Pool
  let pooled: Pool
  let pooledSql: Sql
  beforeAll(() => {
    direct = poolOf(server.address)
    pooled = poolOf(bouncer.address)
    pooledSql = sqlOf(bouncer.address)
    return () => Promise.all([direct, pooled, pooledSql].map((each) => each.end()))
  })

  test.each(libraryNames)(
    '%s: it is found out and told once; there are no messages, and no statement is prepared',
    async (library) => {
      const client = openClient(library === 'pg' ? pooled : pooledSql, { createTable: true })
      const name = randomUUID()
      await Promise.all(Array.from({ length: 200 }, (_, index) => add(client, `${name} ${index % 20}`)))
      expect(client.session.inbox).toBeUndefined()
      expect(client.errors).toHaveLength(1)
      expect(client.errors[0]).toBeInstanceOf(StoreError)
      expect(String(client.errors[0])).toContain('pooler')
      const request = { name, owner: 'a:1', leaseMs: 60_000 }
      expect(await client.session.express.take(request)).toBeDefined()
      expect(await client.session.express.take(request)).toBeUndefined()
      await client.session.close()
    },
  )

  test('how many wait is unknown from the first question on, where a direct connection counts them', async () => {
    const counts = [direct, pooled].map(async (pool) => {
      const holdfast = new Holdfast(postgres(pool, { createTable: true }))
      // A client that has not reached the server yet does not know that there is a pooler.
      holdfast.on('error', () => undefined)
      const name = randomUUID()
      const waitedFor = [holdfast.lock(name), holdfast.semaphore(name), holdfast.countDownLatch(name)]
      const count: unknown[] = []
      for (const each of waitedFor) count.push(await each.countWaitingClients())
      await holdfast.close()
      return count
    })
    expect(await Promise.all(counts)).toEqual([
      [0, 0, 0],
      [undefined, undefined, undefined],
    ])
  })

  test('a pooler that gives out process numbers no PostgreSQL has is found out too', async () => {
    class PooledClient extends pg.Client {
      get processID(): number {
        return 3_502_697_776
      }
      set processID(_given: number) {}
    }
    const pool = poolOf(server.address, { Client: PooledClient })
    const client = openClient(pool, { createTable: true })
    await expect(client.session.inbox?.opened()).rejects.toMatchObject({ reason: 'not-ready' })
    expect(client.errors.map(String)).toEqual([expect.stringContaining('pooler')])
    await client.session.close()
    await pool.end()
  })

  test('it leaves no setting behind in the connections that others use after it', async () => {
    const { rows } = await pooled.query<{ timeout: string }>(
      "SELECT current_setting('lock_timeout') AS timeout",
    )
    expect(rows[0]?.timeout).toBe('0')
  })

  test('an inbox that was asked for first is refused, and a client behind it and a direct one exclude each other', async () => {
    const client = openClient(pooled)
    const refused = { reason: 'not-ready', transient: false }
    await expect(client.session.inbox?.opened()).rejects.toMatchObject(refused)
    expect(client.session.inbox).toBeUndefined()
    await client.session.close()

    const [one, other] = [new Holdfast(postgres(pooled)), new Holdfast(postgres(direct))]
    const told: unknown[] = []
    one.on('error', (error) => told.push(error))
    let inside = 0
    const lock = randomUUID()
    const work = async (holdfast: Holdfast): Promise<void> => {
      for (let round = 0; round < 20; round += 1) {
        await holdfast.lock(lock).withLock(async () => {
          inside += 1
          expect(inside).toBe(1)
          await Promise.resolve()
          inside -= 1
        })
      }
    }
    await Promise.all([work(one), work(other), work(one)])
    await Promise.all([one.close(), other.close()])
    expect(told).toHaveLength(1)
  })
})
