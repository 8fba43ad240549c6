/** `hold.confirm(tx)`: nobody takes a lock over before the transaction that it is tied to has ended. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  Holdfast,
  type HoldfastOptions,
  InvalidArgumentError,
  LockLostError,
  NotOwnerError,
} from '../../src/index.js'
import { NoTransactionError } from '../../src/transactions/index.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { onDrivers } from './drivers.js'
import { storeAt } from './store-at.js'
import { untilTiedAlone } from './tied-alone.js'

await onDrivers((stand, product) => {
  let name: string

  const open = (options: HoldfastOptions = {}): Holdfast => {
    const holdfast = new Holdfast(storeAt(product, stand.address), options)
    onTestFinished(() => holdfast.close())
    return holdfast
  }

  const isFree = async (): Promise<boolean> => {
    const hold = await open().lock(name).tryAcquire()
    await hold?.release()
    return hold !== null
  }

  describe('a lock that is tied to a transaction', () => {
    test.each(['commit', 'rollback', 'kill'] as const)('has no other owner before its %s', async (end) => {
      name = randomUUID()
      const lock = open().lock(name)
      const hold = await lock.acquire({ leaseMs: lasting(2_000) })
      const transaction = await stand.begin()
      await hold.confirm(transaction.tx)
      await untilTiedAlone(lock)
      expect(await isFree()).toBe(false)
      let inside = false
      const waiting = open()
        .lock(name)
        .withLock(() => {
          inside = true
        })
      await eventually(
        () => isFree(),
        (free) => !free,
      )
      expect(inside).toBe(false)
      await (end === 'kill' ? (await stand.kill(transaction))() : transaction[end]())
      await waiting
      expect(inside).toBe(true)
      expect(await isFree()).toBe(true)
    })

    test('is renewed and released as any other', async () => {
      name = randomUUID()
      const holdfast = open({ watchdogMs: lasting(900) })
      let renewed = 0
      holdfast.on('renewed', () => {
        renewed += 1
      })
      const lock = holdfast.lock(name)
      const transaction = await stand.begin()
      await lock.withLock(async (hold) => {
        await hold.confirm(transaction.tx)
        await eventually(
          async () => renewed,
          (count) => count >= 4,
        )
        await transaction.commit()
      })
      expect(await isFree()).toBe(true)
    })

    test.each(['another process', 'this process'])(
      'stays closed to %s when it is released before the transaction ends',
      async (whose) => {
        name = randomUUID()
        const holdfast = open(product === 'PostgreSQL' ? { lingerMs: 10_000 } : {})
        const other = whose === 'this process' ? holdfast : open()
        const lock = holdfast.lock(name)
        const hold = await lock.acquire()
        const waiting = other.lock(name).acquire()
        await eventually(
          () => lock.inspect(),
          ({ owners }) => owners.length === 1,
        )
        const transaction = await stand.begin()
        await hold.confirm(transaction.tx)
        await hold.release()
        await untilTiedAlone(lock)
        expect(await other.lock(name).tryAcquire()).toBeNull()
        await transaction.commit()
        await (await waiting).release()
      },
    )

    test('is not freed by force before the transaction has ended', async () => {
      name = randomUUID()
      const transaction = await stand.begin()
      const lock = open().lock(name)
      const hold = await lock.acquire()
      await hold.confirm(transaction.tx)
      expect(await open().lock(name).forceUnlock()).toBe(true)
      await untilTiedAlone(lock)
      expect(await isFree()).toBe(false)
      await transaction.commit()
      expect(await isFree()).toBe(true)
    })

    test('stays closed until all of its transactions have ended', async () => {
      name = randomUUID()
      const hold = await open().lock(name).acquire()
      const transactions = [await stand.begin(), await stand.begin(), await stand.begin()]
      for (const { tx } of transactions) await hold.confirm(tx)
      for (const { tx } of transactions) await hold.confirm(tx)
      await hold.release()
      for (const { rollback } of transactions) {
        expect(await isFree()).toBe(false)
        await rollback()
      }
      expect(await isFree()).toBe(true)
    })

    test('may be taken at once by the next when a savepoint from before is rolled back to', async () => {
      name = randomUUID()
      const transaction = await stand.begin()
      const hold = await open().lock(name).acquire()
      await transaction.query('SAVEPOINT first')
      await hold.confirm(transaction.tx)
      await transaction.query('SAVEPOINT second')
      await transaction.query('ROLLBACK TO SAVEPOINT second')
      await hold.release()
      expect(await isFree()).toBe(false)
      await transaction.query('ROLLBACK TO SAVEPOINT first')
      expect(await isFree()).toBe(true)
      await transaction.commit()
    })

    test.each(['READ COMMITTED', 'REPEATABLE READ'] as const)(
      'may be older or younger than what the transaction sees: %s',
      async (isolation) => {
        name = randomUUID()
        await stand.table('seen', 'number int NOT NULL')
        const transaction = await stand.begin(isolation)
        await transaction.query('SELECT number FROM seen')
        const hold = await open().lock(name).acquire()
        await hold.confirm(transaction.tx)
        await hold.release()
        expect(await isFree()).toBe(false)
        await transaction.commit()
        expect(await isFree()).toBe(true)
      },
    )

    test('leaves nothing behind', async () => {
      name = randomUUID()
      const hold = await open().lock(name).acquire()
      const [committed, undone] = [await stand.begin(), await stand.begin()]
      await hold.confirm(committed.tx)
      await hold.confirm(undone.tx)
      await committed.commit()
      await undone.rollback()
      await hold.release()
      const rows = await stand.query('SELECT rest FROM holdfast_locks WHERE name = ?', name)
      expect(rows).toEqual([{ rest: null }])
      expect(await stand.query("SELECT name FROM holdfast_locks WHERE keyspace = 'tie'")).toEqual([])
    })
  })

  describe('several at once', () => {
    test('each of a multi-lock is tied', async () => {
      const [one, two] = [randomUUID(), randomUUID()]
      const holdfast = open()
      const transaction = await stand.begin()
      const hold = await holdfast.multiLock([holdfast.lock(one), holdfast.lock(two)]).acquire()
      await hold.confirm(transaction.tx)
      await hold.release()
      for (name of [one, two]) expect(await isFree()).toBe(false)
      await transaction.commit()
      for (name of [one, two]) expect(await isFree()).toBe(true)
    })

    test('no two transactions write at a time, whatever becomes of the leases', async () => {
      name = randomUUID()
      await stand.table('counted', 'number int NOT NULL', '(0)')
      const worker = async (): Promise<void> => {
        const lock = open().lock(name)
        const client = await stand.connect()
        for (let round = 0; round < 5; ) {
          const hold = await lock.acquire({ leaseMs: lasting(100) })
          const transaction = await client.begin()
          const tied = await hold.confirm(transaction.tx).then(
            () => true,
            () => false,
          )
          if (tied) {
            // Read, then written: not one may be lost.
            const [row] = await transaction.query('SELECT number FROM counted')
            await transaction.query('SELECT 1')
            await transaction.query('UPDATE counted SET number = ?', Number(row?.['number']) + 1)
            round += 1
          }
          // Released at random: before, or after.
          if (Math.random() < 0.5) await hold.release().catch(() => undefined)
          await (tied ? transaction.commit() : transaction.rollback())
          await hold.release().catch(() => undefined)
        }
      }
      await Promise.all([worker(), worker(), worker()])
      expect(await stand.query('SELECT number FROM counted')).toEqual([{ number: 15 }])
    })
  })

  describe('is refused', () => {
    test('when the store knows better than the holder that the lock is lost', async () => {
      name = randomUUID()
      const hold = await open().lock(name).acquire()
      await open().lock(name).forceUnlock()
      const next = await open().lock(name).acquire()
      const transaction = await stand.begin()
      await expect(hold.confirm(transaction.tx)).rejects.toMatchObject({
        code: 'LOCK_LOST',
        reason: 'not-in-store',
      })
      expect(hold.signal.aborted).toBe(true)
      // What nobody relies on keeps nobody out.
      await next.release()
      expect(await isFree()).toBe(true)
      await transaction.rollback()
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    })

    test('after the release', async () => {
      name = randomUUID()
      const { tx } = await stand.begin()
      const hold = await open().lock(name).acquire()
      await hold.release()
      const refusal = await hold.confirm(tx).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(NotOwnerError)
      expect(refusal).not.toBeInstanceOf(LockLostError)
    })

    test('without a transaction', async () => {
      name = randomUUID()
      const client = await stand.connect()
      const { tx, commit } = await client.begin()
      await commit()
      const hold = await open().lock(name).acquire()
      const refusal = await hold.confirm(tx).catch((error: unknown) => error)
      // What sql.begin has passed is of no use afterwards.
      expect(refusal).toBeInstanceOf(stand.driver === 'postgres' ? Error : NoTransactionError)
      expect(await stand.query("SELECT name FROM holdfast_locks WHERE keyspace = 'tie'")).toEqual([])
      await hold.release()
      expect(await isFree()).toBe(true)
    })

    test('for a transaction in another database', async () => {
      name = randomUUID()
      const elsewhere = `elsewhere_${name.replaceAll('-', '')}`
      await stand.query(`CREATE DATABASE ${elsewhere}`)
      const holdfast = new Holdfast(storeAt(product, { ...stand.address, database: elsewhere }))
      onTestFinished(() => holdfast.close())
      const hold = await holdfast.lock(name).acquire()
      // Also where there is a table of that name.
      await (await open().lock(name).acquire()).release()
      const transaction = await stand.begin()
      const refusal = await hold.confirm(transaction.tx).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(InvalidArgumentError)
      expect(refusal).toMatchObject({ argument: 'tx', lockName: name })
      await hold.release()
      await transaction.rollback()
    })
  })
})
