/** Holders in databases whose process is stopped or killed, and databases that crash under holders: with real processes. */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { type Hold, Holdfast } from '../../src/index.js'
import { keptByProcesses } from '../kept/processes.cases.js'
import { Forked } from '../redisson/forked.js'
import { bringSqlServer } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'
import { lasting } from '../setup/lasting.js'
import { Stand } from '../sqlite/stand.js'
import type { HolderTask } from './holder.fixture.js'
import { type Rows, storeOf } from './store-of.js'

function open(rows: Rows, watchdogMs?: number): Holdfast {
  const holdfast = new Holdfast(storeOf(rows), { ...(watchdogMs !== undefined && { watchdogMs }) })
  onTestFinished(() => holdfast.close())
  return holdfast
}

async function holderOf(rows: Rows): Promise<HolderTask & { readonly holder: Forked }> {
  const task: HolderTask = { rows, name: randomUUID(), watchdogMs: lasting(3_500) }
  const holder = Forked.start(new URL('./holder.fixture.ts', import.meta.url), task)
  expect(await holder.told()).toBe('holds')
  return { ...task, holder }
}

function stopped(rows: () => Rows): void {
  test('L3, S2: a holder that is stopped past its lease knows at its first check, and its late release frees nothing', async () => {
    const { holder, name } = await holderOf(rows())
    const lock = open(rows()).lock(name)
    // With the connection made, it asks before the lease ends.
    expect(await lock.isLocked()).toBe(true)
    process.kill(holder.pid, 'SIGSTOP')
    expect(await lock.tryAcquire()).toBeNull()
    const hold = await lock.acquire()
    holder.send('check, and release')
    process.kill(holder.pid, 'SIGCONT')
    expect(await holder.told()).toEqual({ check: 'LOCK_LOST', release: 'LOCK_LOST' })
    expect(await holder.ended()).toBe(0)
    expect((await open(rows()).lock(name).inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
    await hold.release()
  })
}

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const rows = (): Rows => ({ product, address: database().address })
  stopped(rows)
  // The others send no messages, so nothing is kept there.
  if (product === 'PostgreSQL')
    keptByProcesses(
      {
        at: rows,
        server: () => database().address,
        over: ({ host, port }) => ({ product, address: { ...database().address, host, port } }),
      },
      { writesAtExit: false },
    )

  test('S8: a holder that is killed holds others up for its lease, and no longer', async () => {
    const { holder, name, watchdogMs } = await holderOf(rows())
    const lock = open(rows()).lock(name)
    // With the connection made, it asks before the lease ends.
    expect(await lock.isLocked()).toBe(true)
    await holder.kill()
    const { remainingMs } = await lock.inspect()
    expect(remainingMs).toBeLessThanOrEqual(watchdogMs)
    expect(await lock.tryAcquire()).toBeNull()
    await (await lock.acquire()).release()
  })

  test('L3: a server that crashes costs no lock whose time goes on; the others are told, and can be had again', async () => {
    const server = await bringSqlServer(product)
    onTestFinished(() => server.stop())
    const here = { product, address: server.address }
    const [brief, long] = [open(here, 1_500), open(here, 120_000)]
    const lost = journalOf(brief, 'lost')
    const take = (holdfast: Holdfast): Promise<Hold> => holdfast.lock(randomUUID()).acquire()
    const [gone, kept] = [await take(brief), await take(long)]
    await server.kill()
    await until(() => gone.signal.aborted, { what: 'the holder is told' })
    expect(() => gone.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }))
    await server.start()
    const other = open(here)
    await (await other.lock(gone.name).acquire()).release()
    expect(lost.map(({ name }) => name)).toEqual([gone.name])
    kept.assertHeld()
    expect(await other.lock(kept.name).tryAcquire()).toBeNull()
    await kept.release()
  }, 60_000)
})

describe('SQLite', () => {
  const path = new Stand().path()
  stopped(() => ({ path }))
  keptByProcesses({ at: () => ({ path }) }, { writesAtExit: false })
})
