/** Locks that a server keeps for a connection: what differs from all other stores. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import {
  type Hold,
  Holdfast,
  type HoldfastOptions,
  LockLostError,
  type Store,
  UnsupportedKindError,
} from '../../src/index.js'
import { getLock } from '../../src/stores/mysql/index.js'
import { advisory } from '../../src/stores/postgres/index.js'
import { LockTimeoutError, transactionLock } from '../../src/transactions/index.js'
import { libraries } from '../mysql/clients.js'
import { onDatabases } from '../setup/databases.js'
import { eventually } from '../setup/eventually.js'
import { connectTo } from '../transactions/own-connection.js'

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const open: Array<{ close(): Promise<void> }> = []
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close()
  })

  const store = (): Store => {
    const { host, port, user, password, database: name } = database().address
    if (product === 'PostgreSQL') return advisory(new pg.Pool({ host, port, user, password, database: name }))
    return getLock({
      connect: () => libraries[product === 'MySQL' ? 'mysql2' : 'mariadb'](database().address),
    })
  }
  const client = (options: HoldfastOptions = {}): Holdfast => {
    const holdfast = new Holdfast(store(), options)
    open.push(holdfast)
    return holdfast
  }

  test('one of many has it at a time, and the server wakes the next', async () => {
    const name = randomUUID()
    let inside = 0
    let most = 0
    let sections = 0
    const work = async (): Promise<void> => {
      const lock = client().lock(name)
      const section = () =>
        lock.withLock(async () => {
          inside += 1
          most = Math.max(most, inside)
          await new Promise((resolve) => setImmediate(resolve))
          inside -= 1
          sections += 1
        })
      for (let round = 0; round < 5; round += 1) await Promise.all([section(), section(), section()])
    }
    await Promise.all([work(), work(), work()])
    expect({ most, sections }).toEqual({ most: 1, sections: 45 })
  })

  test('names count as they are, whatever their case and length', async () => {
    const name = randomUUID()
    const lock = client()
    const names = [name, name.toUpperCase(), `${name} `, name.repeat(10), `${name.repeat(10)}!`]
    const holds = await Promise.all(names.map((each) => lock.lock(each).acquire()))
    for (const each of names) expect(await client().lock(each).tryAcquire()).toBeNull()
    for (const hold of holds) await hold.release()
    for (const each of names) await (await client().lock(each).acquire()).release()
  })

  test('its holder is told of the end of its connection, and another has the lock', async () => {
    const name = randomUUID()
    const hold = await client().lock(name).acquire()
    const other = client().lock(name)
    expect(await other.forceUnlock()).toBe(true)
    await eventually(async () => hold.signal.aborted)
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    await (await other.acquire({ waitMs: 10_000 })).release()
  })

  // The library tells of a fatal message first, and of the end of the connection later.
  const moments = ['when the library has told of it', 'while it is asked'] as const
  for (const moment of product === 'PostgreSQL' ? moments : [])
    test(`L4: a nested acquisition that meets the end of the connection ${moment} is a loss, then contends`, async () => {
      const clients: Told[] = []
      class Told extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super(config)
          clients.push(this)
        }
      }
      const { host, port, user, password, database: name } = database().address
      const pool = new pg.Pool({ host, port, user, password, database: name, Client: Told })
      const holdfast = new Holdfast(advisory(pool))
      open.push(holdfast)
      const lock = holdfast.lock(randomUUID())
      const owner = holdfast.owner()
      const outer = await lock.acquire({ owner })
      const { signal } = outer
      const [held] = clients
      if (!held) throw new Error('no client was made')
      const { stream } = held.connection
      let nested: Promise<Hold | null> | undefined
      if (moment === 'while it is asked') {
        stream.pause()
        await client().lock(lock.name).forceUnlock()
        nested = lock.tryAcquire({ owner })
        stream.resume()
      } else {
        const told = new Promise<void>((resolve) => {
          held.once('error', () => {
            queueMicrotask(() => {
              nested = lock.tryAcquire({ owner })
              resolve()
            })
          })
        })
        await client().lock(lock.name).forceUnlock()
        await told
      }
      const hold = await nested
      expect(signal.aborted).toBe(true)
      expect(await lock.holdCount(owner)).toBe(1)
      await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
      await hold?.release()
    })

  test('the server ends it when its lease is over that nobody renews', async () => {
    const name = randomUUID()
    const hold = await client().lock(name).acquire({ leaseMs: 1_000 })
    const next = await client().lock(name).acquire({ waitMs: 15_000 })
    expect(hold.remainingMs()).toBe(0)
    await next.release()
  })

  test('a wait that is given up leaves nothing behind', async () => {
    const name = randomUUID()
    const hold = await client().lock(name).acquire()
    const waiter = client().lock(name)
    const controller = new AbortController()
    const aborted = waiter.acquire({ signal: controller.signal }).catch((error: unknown) => error)
    await expect(waiter.acquire({ waitMs: 300 })).rejects.toBeInstanceOf(LockTimeoutError)
    const reason = new Error('no longer wanted')
    controller.abort(reason)
    expect(await aborted).toBe(reason)
    await hold.release()
    await (await client().lock(name).acquire({ waitMs: 10_000 })).release()
  })

  test('other kinds, and ties to transactions, are refused at once', async () => {
    const holdfast = client()
    for (const kind of ['fencedLock', 'fairLock', 'spinLock', 'semaphore'] as const)
      expect(() => holdfast[kind]('a')).toThrow(UnsupportedKindError)
    const hold = await holdfast.lock(randomUUID()).acquire()
    await expect(hold.confirm(new pg.Client())).rejects.toMatchObject({ argument: 'tx' })
    await hold.release()
  })

  test.runIf(product === 'PostgreSQL')('it is the lock of transactions of that name', async () => {
    const name = randomUUID()
    const hold = await client().lock(name).acquire()
    const { tx, run, end } = await connectTo(product, database().address)
    await run('BEGIN')
    await expect(transactionLock(tx, name, { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeoutError)
    await hold.release()
    await transactionLock(tx, name, { waitMs: 10_000 })
    expect(await client().lock(name).tryAcquire()).toBeNull()
    await run('COMMIT')
    await end()
  })
})
