/** What the operator limits or ends: sessions, statements, waits. A lock stays whose it is, and each command counts once. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Holdfast, HoldfastOptions } from '../../src/index.js'
import { until } from '../servers/until.js'
import { missing, Stand, title } from './server.js'

describe.skipIf(missing)(`${title}: limits of the operator`, () => {
  const stand = new Stand()

  /** Clients of a user for whom these settings hold. */
  const bring = async (...settings: string[]): Promise<(options?: HoldfastOptions) => Holdfast> => {
    const user = `limited_${randomUUID().replaceAll('-', '')}`
    await stand.pool.query(`CREATE ROLE ${user} LOGIN`)
    await stand.pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO ${user}`)
    for (const setting of settings) await stand.pool.query(`ALTER ROLE ${user} SET ${setting}`)
    const { dir, port, database } = stand.address
    const pool = new pg.Pool({ host: dir, port, user, database })
    return (options) => stand.holdfast(pool, options)
  }
  const whileLocked = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const letGo = await stand.lockRow(name)
    await work().finally(letGo)
  }

  test('limits on statements, waits and transactions, as short as they can be, do no harm', async () => {
    const open = await bring(
      'statement_timeout = 1',
      'lock_timeout = 1',
      'idle_in_transaction_session_timeout = 1',
    )
    const [one, other] = [open(), open()]
    const name = randomUUID()
    let inside = 0
    const work = (holdfast: Holdfast) =>
      holdfast.fairLock(name).withLock(() => {
        inside += 1
        expect(inside).toBe(1)
        inside -= 1
      })
    await Promise.all(Array.from({ length: 40 }, (_, index) => work(index % 2 === 0 ? one : other)))
  })

  test('sessions that end as soon as they are idle cost a holder nothing, and a waiter hears of its turn', async () => {
    const { rows } = await stand.pool.query<{ version: string }>(
      "SELECT current_setting('server_version_num') AS version",
    )
    // Before, there is no such limit.
    if (Number(rows[0]?.version) < 140_000) return
    const open = await bring('idle_session_timeout = 50')
    const [one, other] = [open({ watchdogMs: 1_500 }), open({ watchdogMs: 30_000 })]
    const name = randomUUID()
    const hold = await one.fairLock(name).acquire()
    const acquiring = other.fairLock(name).acquire()
    for (let renewals = 0; renewals < 3; renewals += 1)
      await new Promise((resolve) => one.once('renewed', resolve))
    hold.assertHeld()
    const releasedAt = performance.now()
    await hold.release()
    const next = await acquiring
    // The lease of a grant in line would keep it waiting for as long as this, if it had to be looked for.
    expect(performance.now() - releasedAt).toBeLessThan(5_000)
    next.assertHeld()
    await next.release()
  })

  test.each([
    ['cancelled', 'pg_cancel_backend'],
    ['ended with its session', 'pg_terminate_backend'],
  ])('an acquire that is %s in mid-statement counts once, and so does its release', async (_, end) => {
    const open = await bring()
    const [one, other] = [open(), open()]
    const name = randomUUID()
    const lock = one.lock(name)
    await (await lock.acquire()).release()
    await one.run(async () => {
      await whileLocked(name, async () => {
        const acquiring = lock.lock()
        await stand.pool.query(`SELECT ${end}($1)`, [await stand.blocked()])
        // It is sent again, and waits again.
        await stand.blocked()
        stand.after(() => acquiring)
      })
      await until(() => lock.isHeld(), { what: 'it is held' })
      expect(await lock.holdCount()).toBe(1)
      await lock.lock()
      await whileLocked(name, async () => {
        const releasing = lock.unlock()
        await stand.pool.query(`SELECT ${end}($1)`, [await stand.blocked()])
        await stand.blocked()
        stand.after(() => releasing)
      })
      await until(async () => (await lock.holdCount()) === 1, { what: 'one hold is released' })
      expect(await other.lock(name).tryAcquire()).toBeNull()
      await lock.unlock()
    })
    await (await other.lock(name).acquire({ waitMs: 1_000 })).release()
  })

  test('a transaction that stays open keeps old rows from being removed, and nothing from being locked', async () => {
    const open = await bring()
    const holdfast = open()
    const name = randomUUID()
    const transaction = await stand.pool.connect()
    await transaction.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await transaction.query('SELECT count(*) FROM holdfast_locks')
    const tokens: bigint[] = []
    for (let section = 0; section < 300; section += 1)
      await holdfast.fencedLock(name).withLock(({ fence = 0n }) => void tokens.push(fence))
    expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => (one < other ? -1 : 1)))
    const { rows } = await transaction.query('SELECT FROM holdfast_locks WHERE name = $1', [name])
    expect(rows).toEqual([])
    await transaction.query('COMMIT')
    transaction.release()
  })
})
