import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LockTimeoutError, transactionLock } from '../../src/transactions/index.js'
import { hostileNames } from '../properties/hostile-names.js'
import { type Isolation, onDrivers } from './drivers.js'

const isolations = {
  PostgreSQL: ['READ COMMITTED'],
  MariaDB: ['READ COMMITTED', 'REPEATABLE READ'],
  MySQL: ['READ COMMITTED', 'REPEATABLE READ'],
} as const satisfies Record<string, readonly Isolation[]>

let names = 0
function freshName(): string {
  names += 1
  return `transaction lock ${names}`
}

await onDrivers((stand, product) => {
  test.each(isolations[product])('one transaction at a time has it: %s', async (isolation) => {
    const name = freshName()
    await stand.table('counted', 'number int NOT NULL', '(0)')
    const worker = async (): Promise<void> => {
      const client = await stand.connect()
      for (let round = 0; round < 10; round += 1) {
        const { tx, query: ask, commit } = await client.begin(isolation)
        await transactionLock(tx, name)
        // Read, then written: without the lock most of these would be lost.
        const [row] = await ask('SELECT number FROM counted')
        await ask('UPDATE counted SET number = ?', Number(row?.['number']) + 1)
        await commit()
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    expect(await stand.query('SELECT number FROM counted')).toEqual([{ number: 40 }])
  })

  test.each(['commit', 'rollback', 'kill'] as const)('is free after %s', async (end) => {
    const name = freshName()
    const holder = await stand.begin()
    await transactionLock(holder.tx, name)
    const waiter = await stand.begin()
    const granted = transactionLock(waiter.tx, name)
    await stand.untilWaiting()
    await (end === 'kill' ? (await stand.kill(holder))() : holder[end]())
    await granted
    await waiter.commit()
  })

  test('is taken again by its transaction at once, and is still one lock', async () => {
    const name = freshName()
    const holder = await stand.begin()
    await transactionLock(holder.tx, name)
    await transactionLock(holder.tx, name, { waitMs: 0 })
    await holder.commit()
    await transactionLock((await stand.begin()).tx, name, { waitMs: 0 })
  })

  test('waits no longer than waitMs, and the transaction goes on', async () => {
    const name = freshName()
    await stand.table('kept', 'number int NOT NULL')
    const holder = await stand.begin()
    await transactionLock(holder.tx, name)
    const other = await stand.begin()
    await other.query('INSERT INTO kept VALUES (1)')
    for (const waitMs of [0, 1, 300]) {
      const refusal = await transactionLock(other.tx, name, { waitMs }).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(LockTimeoutError)
      expect(refusal).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: name })
      if (refusal instanceof LockTimeoutError) expect(refusal.waitedMs).toBeGreaterThanOrEqual(waitMs - 1)
      await other.query('INSERT INTO kept VALUES (2)')
    }
    await holder.commit()
    await transactionLock(other.tx, name, { waitMs: 0 })
    await other.commit()
    expect(await stand.query('SELECT number FROM kept')).toHaveLength(4)
  })

  test('is shared by those who share it', async () => {
    const name = freshName()
    // In MySQL and MariaDB the first use of a name is alone.
    const first = await stand.begin()
    await transactionLock(first.tx, name, { shared: true })
    await first.commit()
    const [one, two, writer] = [await stand.begin(), await stand.begin(), await stand.begin()]
    await transactionLock(one.tx, name, { shared: true, waitMs: 0 })
    await transactionLock(two.tx, name, { shared: true, waitMs: 0 })
    await expect(transactionLock(writer.tx, name, { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeoutError)
    await one.commit()
    await two.commit()
    await transactionLock(writer.tx, name, { waitMs: 0 })
    await expect(
      transactionLock((await stand.begin()).tx, name, { shared: true, waitMs: 0 }),
    ).rejects.toBeInstanceOf(LockTimeoutError)
  })

  test('two names are two locks, however much alike', async () => {
    const long = 'x'.repeat(300)
    const alike = [
      'a',
      'A',
      'a ',
      'á',
      'a\u0301',
      'a\0',
      "a'",
      'a"',
      'a\\',
      'a%',
      '🔒',
      `${long}1`,
      `${long}2`,
    ]
    const holder = await stand.begin()
    for (const name of alike) await transactionLock(holder.tx, name, { waitMs: 0 })
    const other = await stand.begin()
    // MySQL waits for a second before it gives up, so not all of them are tried there.
    for (const name of product === 'MySQL' ? alike.slice(-2) : alike) {
      await expect(transactionLock(other.tx, name, { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeoutError)
    }
    for (const name of ['b', 'a  ', `${long}3`]) await transactionLock(other.tx, name, { waitMs: 0 })
  })

  test('any name will do', async () => {
    const { tx } = await stand.begin()
    await fc.assert(
      fc.asyncProperty(hostileNames, (name) => transactionLock(tx, name, { waitMs: 0 })),
      { numRuns: 50 },
    )
  })
})
