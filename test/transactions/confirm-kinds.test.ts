/** `hold.confirm(tx)` of each kind of lock, and where there is none. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, InvalidArgumentError, type Lock } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { standaloneClient } from '../setup/clients.js'
import { onDatabases } from '../setup/databases.js'
import { connectTo, type OwnConnection } from './own-connection.js'
import { storeAt } from './store-at.js'

function client(...[store]: ConstructorParameters<typeof Holdfast>): Holdfast {
  const holdfast = new Holdfast(store)
  onTestFinished(() => holdfast.close())
  return holdfast
}

function sidesOf(holdfast: Holdfast): { readonly read: Lock; readonly write: Lock } {
  const lock = holdfast.readWriteLock(randomUUID())
  return { read: lock.readLock(), write: lock.writeLock() }
}

const isFree = async (lock: Lock): Promise<boolean> => {
  const hold = await lock.tryAcquire()
  await hold?.release()
  return hold !== null
}

await onDatabases(['PostgreSQL', 'MySQL'], (database, product) => {
  const holdfast = (): Holdfast => client(storeAt(product, database().address))
  const begin = async (): Promise<OwnConnection & { commit(): Promise<unknown> }> => {
    const connection = await connectTo(product, database().address)
    onTestFinished(() => connection.end())
    await connection.run('BEGIN')
    return { ...connection, commit: () => connection.run('COMMIT') }
  }

  const exclusive = (['lock', 'fencedLock', 'fairLock', 'spinLock'] as const).filter(
    (kind) => product === 'PostgreSQL' || kind !== 'fairLock',
  )
  test.each(exclusive)('%s', async (kind) => {
    const name = randomUUID()
    const hold = await holdfast()[kind](name).acquire()
    const { tx, commit } = await begin()
    await hold.confirm(tx)
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
    const { read, write } = sidesOf(holdfast())
    const [hold, beside] = [await read.acquire(), await read.acquire()]
    const { tx, commit } = await begin()
    await hold.confirm(tx)
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
    const { read, write } = sidesOf(holdfast())
    const hold = await write.acquire()
    const { tx, commit } = await begin()
    await hold.confirm(tx)
    // Its owner may still read.
    await hold.run(async () => (await read.acquire()).release())
    await hold.release()
    for (const lock of [read, write]) expect(await isFree(lock)).toBe(false)
    const waiting = [read.acquire(), read.acquire(), read.acquire()]
    await commit()
    for (const each of waiting) await (await each).release()
    expect(await isFree(write)).toBe(true)
  })

  test('permits are not tied', async () => {
    const semaphore = holdfast().semaphore(randomUUID())
    await semaphore.trySetPermits(1)
    const hold = await semaphore.acquire()
    const { tx } = await begin()
    await expect(hold.confirm(tx)).rejects.toBeInstanceOf(InvalidArgumentError)
    hold.assertHeld()
    await hold.release()
  })

  test('a transaction of another product, a pool or anything else is refused', async () => {
    const other = product === 'PostgreSQL' ? mysqlLike : new pg.Client()
    const hold = await holdfast().lock(randomUUID()).acquire()
    for (const tx of [other, new pg.Pool()]) {
      const refusal = await hold.confirm(tx).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(InvalidArgumentError)
      expect(refusal).toMatchObject({ argument: 'tx' })
    }
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
  const stores = {
    memory: () => client(new MemoryStore()),
    sqlite: () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
      const holdfast = client(sqlite(join(folder, 'locks.db')))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      return holdfast
    },
    redis: () => {
      const redis = standaloneClient(inject('servers').standalone)
      onTestFinished(() => redis.disconnect())
      return client(redis)
    },
    quorum: () => client(quorum([new MemoryStore(), new MemoryStore(), new MemoryStore()])),
  }
  test.each(Object.entries(stores))('%s', async (_, make) => {
    const hold = await make().lock(randomUUID()).acquire()
    const refusal = await hold.confirm(new pg.Client()).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InvalidArgumentError)
    expect(refusal).toMatchObject({ argument: 'tx', message: expect.stringContaining('PostgreSQL') })
    hold.assertHeld()
    await hold.release()
  })
})
