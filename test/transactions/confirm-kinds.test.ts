/** `hold.confirm(tx)` of each kind of lock, and where there is none. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, Holdfast, InvalidArgumentError, type Lock } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { standaloneClient } from '../setup/clients.js'
import { onDatabases } from '../setup/databases.js'
import { Stand } from '../sqlite/stand.js'
import { connectTo, storeAt } from './application.js'

function client(...[store]: ConstructorParameters<typeof Holdfast>): Holdfast {
  const holdfast = new Holdfast(store)
  onTestFinished(() => holdfast.close())
  return holdfast
}

const isFree = async (lock: Lock): Promise<boolean> => {
  const hold = await lock.tryAcquire()
  await hold?.release()
  return hold !== null
}

/** Nothing may be sent to it, and the lock stays whose it is. */
async function refuses(hold: Hold, tx: Parameters<Hold['confirm']>[0]): Promise<InvalidArgumentError> {
  const refusal = await rejectionOf(hold.confirm(tx))
  expect(refusal).toBeInstanceOf(InvalidArgumentError)
  expect(refusal).toMatchObject({ argument: 'tx' })
  hold.assertHeld()
  if (refusal instanceof InvalidArgumentError) return refusal
  throw refusal
}

await onDatabases(['PostgreSQL', 'MySQL'], (database, product) => {
  const holdfast = (): Holdfast => client(storeAt(product, database().address))
  /** Releases what it has tied to a transaction, and commits that when it is told to. */
  const tied = async (hold: Hold): Promise<() => Promise<unknown>> => {
    const { tx, run, end } = await connectTo(product, database().address)
    onTestFinished(async () => void (await end()))
    await run('BEGIN')
    await hold.confirm(tx)
    return () => run('COMMIT')
  }

  const exclusive = (['lock', 'fencedLock', 'fairLock', 'spinLock'] as const).filter(
    (kind) => product === 'PostgreSQL' || kind !== 'fairLock',
  )
  test.each(exclusive)('%s', async (kind) => {
    const name = randomUUID()
    const hold = await holdfast()[kind](name).acquire()
    const commit = await tied(hold)
    await hold.release()
    const others = ['lock', kind] as const
    const next = holdfast()[kind](name).acquire()
    for (const each of others) expect(await isFree(holdfast()[each](name))).toBe(false)
    await commit()
    const { fence } = hold
    const granted = await next
    if (fence !== undefined) expect(granted.fence).toBeGreaterThan(fence)
    await granted.release()
    for (const each of others) expect(await isFree(holdfast()[each](name))).toBe(true)
  })

  test.runIf(product === 'PostgreSQL')('a read lock keeps out those that write', async () => {
    const lock = holdfast().readWriteLock(randomUUID())
    const [read, write] = [lock.readLock(), lock.writeLock()]
    const [hold, beside] = [await read.acquire(), await read.acquire()]
    const commit = await tied(hold)
    await hold.release()
    expect((await read.inspect()).owners.map(({ holds }) => holds)).toEqual([1, 0])
    await beside.release()
    expect(await isFree(read)).toBe(true)
    expect(await isFree(write)).toBe(false)
    const waiting = write.acquire()
    await commit()
    await (await waiting).release()
  })

  test.runIf(product === 'PostgreSQL')('a write lock keeps out everybody', async () => {
    const lock = holdfast().readWriteLock(randomUUID())
    const [read, write] = [lock.readLock(), lock.writeLock()]
    const hold = await write.acquire()
    const commit = await tied(hold)
    // Its owner may still read.
    await hold.run(async () => (await read.acquire()).release())
    await hold.release()
    for (const each of [read, write]) expect(await isFree(each)).toBe(false)
    const waiting = [read.acquire(), read.acquire(), read.acquire()]
    await commit()
    for (const each of waiting) await (await each).release()
    expect(await isFree(write)).toBe(true)
  })

  test('permits are not tied', async () => {
    const semaphore = holdfast().semaphore(randomUUID())
    await semaphore.trySetPermits(1)
    const hold = await semaphore.acquire()
    await expect(tied(hold)).rejects.toBeInstanceOf(InvalidArgumentError)
    hold.assertHeld()
    await hold.release()
  })

  test('a transaction of another product, a pool or anything else is refused', async () => {
    const hold = await holdfast().lock(randomUUID()).acquire()
    for (const tx of [product === 'PostgreSQL' ? mysqlLike : new pg.Client(), new pg.Pool()])
      await refuses(hold, tx)
    await hold.release()
  })
})

/** Told from others by its methods; nothing may be sent to it. */
const mysqlLike = {
  query: () => Promise.reject(new Error('sent')),
  execute: () => undefined,
  unprepare: () => undefined,
}

describe('a store in no database with transactions refuses at once', () => {
  const files = new Stand()
  const stores = {
    memory: () => client(new MemoryStore()),
    sqlite: () => client(sqlite(files.path())),
    redis: () => {
      const redis = standaloneClient(inject('servers').standalone)
      onTestFinished(() => redis.disconnect())
      return client(redis)
    },
    quorum: () => client(quorum([new MemoryStore(), new MemoryStore(), new MemoryStore()])),
  }
  test.each(Object.entries(stores))('%s', async (_, make) => {
    const hold = await make().lock(randomUUID()).acquire()
    expect((await refuses(hold, new pg.Client())).message).toContain('PostgreSQL')
    await hold.release()
  })
})
