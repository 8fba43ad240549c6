/** Several locks as one that are in several stores: all or none, and one order for all callers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import { Holdfast, type Lock, LockLostError, NoOwnerError, NotOwnerError } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { poolOf } from '../postgres/server.js'
import { onDatabases } from '../setup/databases.js'
import { placeOf } from '../setup/places.js'

await onDatabases(['PostgreSQL'], (database) => {
  describe('one lock over Redis, SQLite and PostgreSQL', () => {
    const redis = placeOf('standalone')
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-stores-'))
    const opened: Holdfast[] = []
    // A loss is found at the next renewal.
    const options = { watchdogMs: 6_000 }
    let pool: ReturnType<typeof poolOf>
    let names: string[]
    let first: Process
    let second: Process

    /** A process, in effect: a client of each store, and a lock in each. */
    interface Process {
      readonly clients: readonly [Holdfast, Holdfast, Holdfast]
      readonly locks: readonly [Lock, Lock, Lock]
    }

    const start = (): Process => {
      const inSqlite = new Holdfast(sqlite(join(folder, 'locks.db')), options)
      const inPostgres = new Holdfast(postgres(pool, { createTable: true }), options)
      opened.push(inSqlite, inPostgres)
      const clients = [redis.holdfast(options), inSqlite, inPostgres] as const
      const [a = '', b = '', c = ''] = names
      return { clients, locks: [clients[0].lock(b), clients[1].lock(a), clients[2].lock(c)] }
    }

    beforeAll(() => {
      pool = poolOf(database().address)
    })
    beforeEach(() => {
      const name = redis.lockName()
      names = ['a', 'b', 'c'].map((each) => `${each}:${name}`)
      first = start()
      second = start()
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
      await redis.tidy()
    })
    afterAll(async () => {
      await pool?.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('all or none', async () => {
      for (const blocked of first.locks) {
        const hold = await blocked.acquire()
        const multi = second.clients[0].multiLock(second.locks)
        expect(await multi.tryAcquire()).toBeNull()
        expect(await multi.tryAcquire({ waitMs: 500 })).toBeNull()
        await hold.release()
        await redis.eventually(async () => !(await multi.isLocked()))
        const all = await multi.acquire()
        expect(await Promise.all(first.locks.map((lock) => lock.tryAcquire()))).toEqual([null, null, null])
        await all.release()
        expect(await multi.isLocked()).toBe(false)
      }
    })

    test('sections exclude each other, whatever client is asked and in whatever order the locks are listed', async () => {
      let inside = 0
      let visits = 0
      const visit = async ({ clients, locks }: Process, turn: number): Promise<void> => {
        const [client] = turn % 2 === 0 ? clients : [...clients].reverse()
        await client?.multiLock(turn % 3 === 0 ? locks : [...locks].reverse()).withLock(async () => {
          inside += 1
          expect(inside).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          inside -= 1
          visits += 1
        })
      }
      const turns = Array.from({ length: 12 }, (_, turn) => turn)
      await Promise.all(turns.flatMap((turn) => [visit(first, turn), visit(second, turn)]))
      expect(visits).toBe(24)
    })

    test('O1: in its section each of the locks is entered again, also by a hold that runs a body', async () => {
      const multi = first.clients[1].multiLock(first.locks)
      const nest = async (): Promise<void> => {
        for (const lock of first.locks) await lock.withLock({ waitMs: 0 }, (hold) => hold.assertHeld())
        await multi.withLock({ waitMs: 0 }, () => undefined)
        expect(await multi.isHeld()).toBe(true)
      }
      await multi.withLock(nest)
      const hold = await multi.acquire()
      await hold.run(nest)
      expect(await multi.isHeld()).toBe(false)
      expect(await multi.isLocked()).toBe(true)
      await expect(nest()).rejects.toThrow()
      await hold.release()
      expect(await multi.isLocked()).toBe(false)
    })

    test('O3: what outlives the section is in no section, of any of the clients', async () => {
      const multi = first.clients[0].multiLock(first.locks)
      const over = new Latch()
      const late = await multi.withLock(() =>
        first.locks.map(async (lock) => {
          await over.opened
          await lock.tryLock()
        }),
      )
      over.open()
      for (const outcome of await Promise.allSettled(late))
        expect(outcome).toMatchObject({ reason: expect.any(NoOwnerError) })
    })

    test('lock and unlock, in a scope of each client', async () => {
      const [one, two, three] = first.clients
      const multi = one.multiLock(first.locks)
      await one.run(async () => {
        await expect(multi.lock()).rejects.toBeInstanceOf(NoOwnerError)
        await two.run(() =>
          three.run(async () => {
            await multi.lock()
            expect(await multi.isHeld()).toBe(true)
            await multi.unlock()
            await expect(multi.unlock()).rejects.toBeInstanceOf(NotOwnerError)
            expect(await multi.isLocked()).toBe(false)
          }),
        )
      })
    })

    test.each([0, 1, 2])('the loss of one is the loss of all (%i)', async (lost) => {
      const hold = await first.clients[0].multiLock(first.locks).acquire()
      await second.locks[lost]?.forceUnlock()
      await redis.eventually(() => hold.signal.aborted)
      expect(() => hold.assertHeld()).toThrow(LockLostError)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      await redis.eventually(async () => !(await first.clients[0].multiLock(first.locks).isLocked()))
    })

    test('a client that is closed takes none', async () => {
      await first.clients[2].close()
      const call = first.clients[0].multiLock(first.locks).acquire()
      await expect(call).rejects.toMatchObject({ code: 'CLOSED' })
      expect(await second.clients[0].multiLock(second.locks).isLocked()).toBe(false)
    })
  })
})
