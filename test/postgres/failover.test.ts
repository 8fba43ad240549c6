/** A replica takes its primary's place: the address by which clients know the primary leads to the replica then, as a virtual one or a proxy's does. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import postgresJs, { type Sql } from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, LockLostError } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { PostgresPair } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { loginOf } from '../transactions/application.js'
import { Wire } from '../wire/wire.js'
import { missing, title } from './server.js'

describe.skipIf(missing)(`${title}: failover`, () => {
  const bring = async (synchronous: boolean) => {
    const pair = await PostgresPair.start({ synchronous })
    onTestFinished(() => pair.stop())
    const address = await Wire.before(pair.primary.address)
    onTestFinished(() => address.stop())
    const login = loginOf(pair.primary.address)
    const poolTo = ({ host, port }: { host: string; port: number }): pg.Pool => {
      const pool = new pg.Pool({ ...login, host, port })
      pool.on('error', () => undefined)
      onTestFinished(() => pool.end())
      return pool
    }
    const pool = poolTo(address)
    const open = (options: HoldfastOptions = {}, client: pg.Pool | Sql = pool): Holdfast => {
      const store = postgres(client, { createTable: true })
      const holdfast = new Holdfast(store, { commandTimeoutMs: 1_000, ...options })
      onTestFinished(() => holdfast.close())
      return holdfast
    }
    const openByPostgres = (): Holdfast => {
      const { host, port } = address
      const sql = postgresJs({ ...login, host, port })
      onTestFinished(() => sql.end())
      return open({}, sql)
    }
    const failOver = async (): Promise<void> => {
      await pair.primary.kill()
      await pair.promote()
      address.redirect(pair.replica.address)
      address.breakAll()
    }
    const admin = poolTo(pair.primary.address)
    /** Resolves when so many clients wait for it. */
    const untilWaiting = async (name: string, clients: number): Promise<void> => {
      const row = 'SELECT FROM holdfast_locks WHERE name = $1 AND cardinality(waiting) = $2'
      const wait = async () => (await admin.query(row, [name, clients])).rowCount === 1
      await until(wait, { what: `${clients} wait` })
    }
    /** Cancels statements that wait for the replica. */
    const cancel = () =>
      admin.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    const successor = poolTo(pair.replica.address)
    const listening = async (): Promise<number | null> =>
      (await successor.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"))
        .rowCount
    /** When the process in that line looks by itself. */
    const nextLookAt = async (name: string): Promise<number> => {
      type Waiting = { rest?: { line?: { processes: Record<string, { looksAt: number }> } } }
      const { rows } = await successor.query<Waiting>('SELECT rest FROM holdfast_locks WHERE name = $1', [
        name,
      ])
      const [process] = Object.values(rows[0]?.rest?.line?.processes ?? {})
      return process?.looksAt ?? 0
    }
    return { pair, open, openByPostgres, failOver, untilWaiting, cancel, listening, nextLookAt }
  }
  /** Asks again and again, also while the address leads nowhere. */
  const take = (holdfast: Holdfast, name: string): Promise<Hold> =>
    until(async () => (await holdfast.fencedLock(name).tryAcquire()) ?? false, { what: 'it is free' })

  test('to a synchronous replica: holds and tokens are kept, and those that wait are served in their order', {
    timeout: 120_000,
  }, async () => {
    const { pair, open, openByPostgres, failOver, untilWaiting, cancel, listening } = await bring(true)
    const [holder, first, second] = [open({ watchdogMs: 15_000 }), open(), open()]
    const byPostgres = openByPostgres()
    await byPostgres.lock('any').isLocked()
    const [name, refused] = [randomUUID(), randomUUID()]
    const before = await holder.fencedLock(name).acquire()
    await before.release()
    const hold = await holder.fencedLock(name).acquire()
    expect(hold.fence).toBeGreaterThan(before.fence ?? 0n)
    const served: string[] = []
    const wait = async (holdfast: Holdfast, who: string): Promise<bigint> => {
      const own = await holdfast.fencedLock(name).acquire()
      served.push(who)
      await own.release()
      return own.fence ?? 0n
    }
    const one = wait(first, 'first')
    await untilWaiting(name, 1)
    const other = wait(second, 'second')
    await untilWaiting(name, 2)

    // What the replica has not written is not granted.
    await pair.replica.pause()
    await expect(first.lock(refused).acquire({ waitMs: 300, leaseMs: 60_000 })).rejects.toThrow()
    // Nor is what an operator cancels, although the server says that it was done.
    let settled = false
    const calls = [second, byPostgres].map((holdfast) =>
      expect(holdfast.lock(randomUUID()).acquire({ waitMs: 2_000, leaseMs: 60_000 })).rejects.toThrow(),
    )
    const outcome = Promise.all(calls).finally(() => {
      settled = true
    })
    const over = async () => {
      await cancel()
      return settled
    }
    await until(over, { what: 'both are over, cancelled as often as they are sent' })
    await outcome
    await pair.replica.resume()

    const renewed = new Promise((resolve) => holder.once('renewed', resolve))
    await failOver()
    await renewed
    hold.assertHeld()
    // A process that no message reaches at the moment would be passed over.
    await until(async () => (await listening()) === 2, { what: 'both listen again' })
    expect(served).toEqual([])
    await hold.release()
    const [firstFence, secondFence] = await Promise.all([one, other])
    expect(served).toEqual(['first', 'second'])
    expect(firstFence).toBeGreaterThan(hold.fence ?? 0n)
    expect(secondFence).toBeGreaterThan(firstFence)
    // What the refused call may have taken after all was given back.
    await (await second.lock(refused).acquire()).release()
  })

  test('to an asynchronous replica: what was written since it fell behind is lost, and nothing else', {
    timeout: 120_000,
  }, async () => {
    const { pair, open, failOver, untilWaiting, nextLookAt } = await bring(false)
    // None of them renews before the replica has taken over.
    const [one, other, long] = [open(), open(), open({ watchdogMs: 60_000 })]
    // It looks soon once, and then when the lease ends.
    const patient = open({ watchdogMs: 1_500 })
    const [kept, lost, revived, inLine] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await (await one.fencedLock(lost).acquire()).release()
    const early = await one.fencedLock(kept).acquire()
    const released = await one.lock(revived).acquire({ leaseMs: 20_000 })
    const waitedFor = await long.fairLock(inLine).acquire()
    await pair.fallBehind()
    const served: number[] = []
    const calls = [1, 2, 3].map((call) =>
      patient.fairLock(inLine).withLock(() => {
        served.push(call)
      }),
    )
    await untilWaiting(inLine, 1)
    await released.release()
    const late = await one.fencedLock(lost).acquire()
    const told = once(late.signal, 'abort')

    await failOver()
    const second = await take(other, lost)
    // The lost release: nobody holds it, and nobody gets it before the lease ends.
    expect(await other.lock(revived).isLocked()).toBe(true)
    // Two hold it now, until the first is told: by its token alone it can be refused meanwhile.
    late.assertHeld()
    expect(second.fence).toBeGreaterThan(late.fence ?? 0n)
    await told
    await expect(late.release()).rejects.toThrow(LockLostError)
    second.assertHeld()
    expect(await one.fencedLock(lost).tryAcquire()).toBeNull()

    early.assertHeld()
    expect(await other.fencedLock(kept).tryAcquire()).toBeNull()
    await early.release()
    // Places in line that were lost are taken anew, and no call waits for the end of a lease.
    await until(async () => (await nextLookAt(inLine)) > Date.now() + 10_000, { what: 'they only wait' })
    await waitedFor.release()
    await until(() => served.length === calls.length, { what: 'all are served', withinMs: 20_000 })
    await Promise.all(calls)
    await (await other.lock(revived).acquire()).release()
    await second.release()
  })
})
