/** `hold.confirm(tx)`: nobody takes a lock over before the transaction that it is tied to has ended. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import {
  type AcquireOptions,
  type Hold,
  Holdfast,
  type HoldfastOptions,
  InvalidArgumentError,
  LockLostError,
  NotOwnerError,
} from '../../src/index.js'
import { NoTransactionError } from '../../src/transactions/index.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { storeAt, untilTiedAlone } from './application.js'
import { type Isolation, onDrivers, type Transaction } from './drivers.js'

await onDrivers((stand, product) => {
  let name: string
  beforeEach(() => {
    name = randomUUID()
  })

  const open = (options: HoldfastOptions = {}, address = stand.address): Holdfast => {
    const holdfast = new Holdfast(storeAt(product, address), options)
    onTestFinished(() => holdfast.close())
    return holdfast
  }
  const acquire = (options?: AcquireOptions): Promise<Hold> => open().lock(name).acquire(options)
  const isFree = async (of = name): Promise<boolean> => {
    const hold = await open().lock(of).tryAcquire()
    await hold?.release()
    return hold !== null
  }
  const tie = async (hold: Pick<Hold, 'confirm'>, isolation?: Isolation): Promise<Transaction> => {
    const transaction = await stand.begin(isolation)
    await hold.confirm(transaction.tx)
    return transaction
  }

  describe('a lock that is tied to a transaction', () => {
    test.each(['commit', 'rollback', 'kill'] as const)('has no other owner before its %s', async (end) => {
      const transaction = await tie(await acquire({ leaseMs: lasting(2_000) }))
      await untilTiedAlone(open().lock(name))
      let inside = false
      const waiting = open()
        .lock(name)
        .withLock(() => {
          inside = true
        })
      expect(await isFree()).toBe(false)
      expect(inside).toBe(false)
      await (end === 'kill' ? (await stand.kill(transaction))() : transaction[end]())
      await waiting
      expect(await isFree()).toBe(true)
    })

    test('is renewed and released as any other', async () => {
      const holdfast = open({ watchdogMs: lasting(900) })
      let renewed = 0
      holdfast.on('renewed', () => {
        renewed += 1
      })
      await holdfast.lock(name).withLock(async (hold) => {
        const transaction = await tie(hold)
        await eventually(() => renewed >= 4)
        await transaction.commit()
      })
      expect(await isFree()).toBe(true)
    })

    test.each(['another process', 'this process'])(
      'stays closed to %s when it is released before the transaction ends',
      async (whose) => {
        const holdfast = open(product === 'PostgreSQL' ? { lingerMs: 10_000 } : {})
        const other = whose === 'this process' ? holdfast : open()
        const lock = holdfast.lock(name)
        const hold = await lock.acquire()
        const waiting = other.lock(name).acquire()
        const transaction = await tie(hold)
        await hold.release()
        await untilTiedAlone(lock)
        expect(await other.lock(name).tryAcquire()).toBeNull()
        await transaction.commit()
        await (await waiting).release()
      },
    )

    test('is not freed by force before the transaction has ended', async () => {
      const transaction = await tie(await acquire())
      const lock = open().lock(name)
      expect(await lock.forceUnlock()).toBe(true)
      await untilTiedAlone(lock)
      expect(await isFree()).toBe(false)
      await transaction.commit()
      expect(await isFree()).toBe(true)
    })

    test('stays closed until all of its transactions have ended', async () => {
      const hold = await acquire()
      const transactions = [await tie(hold), await tie(hold), await tie(hold)]
      for (const { tx } of transactions) await hold.confirm(tx)
      await hold.release()
      for (const { rollback } of transactions) {
        expect(await isFree()).toBe(false)
        await rollback()
      }
      expect(await isFree()).toBe(true)
    })

    test('may be taken at once by the next when a savepoint from before is rolled back to', async () => {
      const transaction = await stand.begin()
      const hold = await acquire()
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
      'may be younger than what the transaction sees: %s',
      async (isolation) => {
        await stand.table('seen', 'number int NOT NULL')
        const transaction = await stand.begin(isolation)
        await transaction.query('SELECT number FROM seen')
        const hold = await acquire()
        await hold.confirm(transaction.tx)
        await hold.release()
        expect(await isFree()).toBe(false)
        await transaction.commit()
        expect(await isFree()).toBe(true)
      },
    )

    test('leaves nothing behind', async () => {
      const hold = await acquire()
      const [committed, undone] = [await tie(hold), await tie(hold)]
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
      const names = [randomUUID(), randomUUID()]
      const holdfast = open()
      const hold = await holdfast.multiLock(names.map((each) => holdfast.lock(each))).acquire()
      const transaction = await tie(hold)
      await hold.release()
      for (const each of names) expect(await isFree(each)).toBe(false)
      await transaction.commit()
      for (const each of names) expect(await isFree(each)).toBe(true)
    })

    test('no two transactions write at a time, whatever becomes of the leases', async () => {
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
      const hold = await acquire()
      await open().lock(name).forceUnlock()
      const next = await acquire()
      await expect(tie(hold)).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
      expect(hold.signal.aborted).toBe(true)
      // What nobody relies on keeps nobody out.
      await next.release()
      expect(await isFree()).toBe(true)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    })

    test('after the release', async () => {
      const hold = await acquire()
      await hold.release()
      const refusal = await rejectionOf(tie(hold))
      expect(refusal).toBeInstanceOf(NotOwnerError)
      expect(refusal).not.toBeInstanceOf(LockLostError)
    })

    test('without a transaction', async () => {
      const { tx, commit } = await stand.begin()
      await commit()
      const hold = await acquire()
      const refusal = await rejectionOf(hold.confirm(tx))
      // What sql.begin has passed is of no use afterwards.
      expect(refusal).toBeInstanceOf(stand.driver === 'postgres' ? Error : NoTransactionError)
      expect(await stand.query("SELECT name FROM holdfast_locks WHERE keyspace = 'tie'")).toEqual([])
      await hold.release()
      expect(await isFree()).toBe(true)
    })

    test('for a transaction in another database', async () => {
      const elsewhere = `elsewhere_${name.replaceAll('-', '')}`
      await stand.query(`CREATE DATABASE ${elsewhere}`)
      const hold = await open({}, { ...stand.address, database: elsewhere })
        .lock(name)
        .acquire()
      // Also where there is a table of that name.
      await (await acquire()).release()
      const refusal = await rejectionOf(tie(hold))
      expect(refusal).toBeInstanceOf(InvalidArgumentError)
      expect(refusal).toMatchObject({ argument: 'tx', lockName: name })
      await hold.release()
    })
  })
})
