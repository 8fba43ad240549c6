import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockTimeoutError, transactionLock } from '../../src/transactions/index.js'
import { hostileNames } from '../properties/hostile-names.js'
import { type Isolation, onDrivers } from './drivers.js'

const AT_ONCE = { waitMs: 0 }

const isolations = {
  PostgreSQL: ['READ COMMITTED'],
  MariaDB: ['READ COMMITTED', 'REPEATABLE READ'],
  MySQL: ['READ COMMITTED', 'REPEATABLE READ'],
} as const satisfies Record<string, readonly Isolation[]>

let names = 0
let name: string
beforeEach(() => {
  names += 1
  name = `transaction lock ${names}`
})

await onDrivers((stand, product) => {
  test.each(isolations[product])('one transaction at a time has it: %s', async (isolation) => {
    await stand.table('counted', 'number int NOT NULL', '(0)')
    const worker = async (): Promise<void> => {
      const client = await stand.connect()
      for (let round = 0; round < 10; round += 1) {
        const { tx, query, commit } = await client.begin(isolation)
        await transactionLock(tx, name)
        // Read, then written: without the lock most of these would be lost.
        const [row] = await query('SELECT number FROM counted')
        await query('UPDATE counted SET number = ?', Number(row?.['number']) + 1)
        await commit()
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    expect(await stand.query('SELECT number FROM counted')).toEqual([{ number: 40 }])
  })

  test.each(['commit', 'rollback', 'kill'] as const)('is free after %s', async (end) => {
    const holder = await stand.holding(name)
    const granted = stand.holding(name)
    await stand.untilWaiting()
    await (end === 'kill' ? (await stand.kill(holder))() : holder[end]())
    await granted
  })

  test('is taken again by its transaction at once, and is still one lock', async () => {
    const holder = await stand.holding(name)
    await transactionLock(holder.tx, name, AT_ONCE)
    await holder.commit()
    await stand.holding(name, AT_ONCE)
  })

  test('waits no longer than waitMs, and the transaction goes on', async () => {
    await stand.table('kept', 'number int NOT NULL')
    const holder = await stand.holding(name)
    const { tx, query, commit } = await stand.begin()
    await query('INSERT INTO kept VALUES (1)')
    for (const waitMs of [0, 1, 300]) {
      const refusal = await rejectionOf(transactionLock(tx, name, { waitMs }))
      expect(refusal).toBeInstanceOf(LockTimeoutError)
      expect(refusal).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: name })
      if (refusal instanceof LockTimeoutError) expect(refusal.waitedMs).toBeGreaterThanOrEqual(waitMs - 1)
      await query('INSERT INTO kept VALUES (2)')
    }
    await holder.commit()
    await transactionLock(tx, name, AT_ONCE)
    await commit()
    expect(await stand.query('SELECT number FROM kept')).toHaveLength(4)
  })

  test('is shared by those who share it', async () => {
    const shared = { shared: true, ...AT_ONCE }
    // In MySQL and MariaDB the first use of a name is alone.
    await (await stand.holding(name, shared)).commit()
    const sharing = [await stand.holding(name, shared), await stand.holding(name, shared)]
    await expect(stand.holding(name, AT_ONCE)).rejects.toBeInstanceOf(LockTimeoutError)
    for (const { commit } of sharing) await commit()
    await stand.holding(name, AT_ONCE)
    await expect(stand.holding(name, shared)).rejects.toBeInstanceOf(LockTimeoutError)
  })

  test('two names are two locks, however much alike', async () => {
    const long = 'x'.repeat(300)
    const alike = 'a|A|a |á|a\u0301|a\0|a\'|a"|a\\|a%|🔒'.split('|').concat(`${long}1`, `${long}2`)
    const holder = await stand.begin()
    for (const each of alike) await transactionLock(holder.tx, each, AT_ONCE)
    const { tx, rollback } = await stand.begin()
    // MySQL waits for a second before it gives up, so not all of them are tried there.
    for (const each of product === 'MySQL' ? alike.slice(-2) : alike)
      await expect(transactionLock(tx, each, AT_ONCE)).rejects.toBeInstanceOf(LockTimeoutError)
    for (const each of ['b', 'a  ', `${long}3`]) await transactionLock(tx, each, AT_ONCE)
    for (const end of [rollback, holder.rollback]) await end()
  })

  test('any name will do', async () => {
    const { tx } = await stand.begin()
    const held = fc.asyncProperty(hostileNames, (each) => transactionLock(tx, each, AT_ONCE))
    await fc.assert(held, { numRuns: 50 })
  })
})
