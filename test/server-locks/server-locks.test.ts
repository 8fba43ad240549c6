/** Locks that a server keeps for a connection: what differs from all other stores. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, Holdfast, LockLostError, type Store, UnsupportedKindError } from '../../src/index.js'
import { getLock } from '../../src/stores/mysql/index.js'
import { advisory } from '../../src/stores/postgres/index.js'
import { LockTimeoutError, transactionLock } from '../../src/transactions/index.js'
import { libraries } from '../mysql/clients.js'
import { onDatabases } from '../setup/databases.js'
import { connectTo, loginOf } from '../transactions/application.js'

const PATIENCE = { timeout: 10_000, interval: 10 }

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const storeHere = (): Store => {
    if (product === 'PostgreSQL') return advisory(new pg.Pool(loginOf(database().address)))
    const connect = libraries[product === 'MySQL' ? 'mysql2' : 'mariadb']
    return getLock({ connect: () => connect(database().address) })
  }
  const client = (store = storeHere()): Holdfast => {
    const holdfast = new Holdfast(store)
    onTestFinished(() => holdfast.close())
    return holdfast
  }

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
      const holdfast = client(advisory(new pg.Pool({ ...loginOf(database().address), Client: Told })))
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
        nested = once(held, 'error').then(() => lock.tryAcquire({ owner }))
        await client().lock(lock.name).forceUnlock()
      }
      const hold = await nested
      expect(signal.aborted).toBe(true)
      expect(await lock.holdCount(owner)).toBe(1)
      await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
      await hold?.release()
    })

  test.runIf(product === 'PostgreSQL').each(['aborts its waits and closes', 'closes'])(
    'W4: a client that %s leaves no wait on the server',
    async (ends) => {
      const aside = client().lock(randomUUID())
      await using _held = await aside.acquire()
      for (let round = 0; round < 10; round += 1) {
        const waiting = client()
        const abort = new AbortController()
        const acquired = rejectionOf(waiting.lock(aside.name).acquire({ signal: abort.signal }))
        await vi.waitFor(async () => expect(await aside.countWaitingClients()).toBe(1), PATIENCE)
        if (ends !== 'closes') abort.abort()
        await Promise.all([acquired, waiting.close()])
        // The server would end the wait by itself after 30 s.
        await vi.waitFor(async () => expect(await aside.countWaitingClients()).toBe(0), PATIENCE)
      }
    },
  )

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
