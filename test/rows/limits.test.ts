/** What the operator limits or ends: sessions, statements, waits, writes. A lock stays whose it is, and each command counts once. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { until } from '../servers/until.js'
import { connectTo } from '../transactions/application.js'
import { type Login, onOwnServers } from './own-servers.js'

const statements = {
  PostgreSQL: ['lock_timeout = 1', 'statement_timeout = 1', 'idle_in_transaction_session_timeout = 1'],
  MariaDB: ['lock_wait_timeout = 1', 'innodb_lock_wait_timeout = 1', 'max_statement_time = 0.01'],
  MySQL: ['lock_wait_timeout = 1', 'innodb_lock_wait_timeout = 1', 'max_execution_time = 10'],
}

await onOwnServers('limits of the operator', (server) => {
  const inPostgres = server.product === 'PostgreSQL'
  let name: string
  let login: Login & { readonly user: string }
  beforeEach(async () => {
    name = randomUUID()
    login = await server.userWith(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
  })

  const open = (options?: HoldfastOptions): Holdfast => {
    const holdfast = new Holdfast(server.store(login), options)
    onTestFinished(() => holdfast.close())
    return holdfast
  }
  /** For that user, or for all of the server until the test has ended. */
  const limit = async (...settings: string[]): Promise<void> => {
    for (const setting of settings) {
      await server.run(inPostgres ? `ALTER ROLE ${login.user} SET ${setting}` : `SET GLOBAL ${setting}`)
      if (!inPostgres)
        onTestFinished(async () => void (await server.run(`SET GLOBAL ${setting.split(' = ')[0]} = DEFAULT`)))
    }
  }
  const blocked = (): Promise<number> => until(() => server.blocked(), { what: 'it waits for the row' })

  test('limits on statements, waits and transactions, as short as they can be, do no harm', async () => {
    await limit(...statements[server.product])
    const clients = [open(), open()]
    let inside = 0
    const work = (holdfast: Holdfast) =>
      holdfast[inPostgres ? 'fairLock' : 'lock'](name).withLock(() => {
        inside += 1
        expect(inside).toBe(1)
        inside -= 1
      })
    await Promise.all(Array.from({ length: 20 }, () => clients.map(work)).flat())
  })

  test('sessions that end as soon as they are idle cost a holder nothing, and a waiter hears of its turn', async ({
    skip,
  }) => {
    await limit(inPostgres ? 'idle_session_timeout = 50' : 'wait_timeout = 1').catch((error: unknown) => {
      expect(String(error)).toContain('unrecognized configuration parameter')
      skip('PostgreSQL 14 has this limit')
    })
    const one = open({ watchdogMs: inPostgres ? 3_000 : 6_000 })
    const kind = inPostgres ? 'fairLock' : 'lock'
    const hold = await one[kind](name).acquire()
    const acquiring = open({ watchdogMs: 30_000 })[kind](name).acquire()
    for (let renewals = 0; renewals < (inPostgres ? 3 : 2); renewals += 1)
      await new Promise((resolve) => one.once('renewed', resolve))
    hold.assertHeld()
    const releasedAt = performance.now()
    await hold.release()
    const next = await acquiring
    // The lease of a grant in line would keep it waiting for as long as this, if it had to be looked for.
    expect(performance.now() - releasedAt).toBeLessThan(5_000)
    next.assertHeld()
    await next.release()
  })

  test.each(['QUERY', 'CONNECTION'] as const)(
    'a command whose %s is ended in mid-statement counts once, and so does its release',
    async (what) => {
      const [one, other] = [open(), open()]
      const lock = one.lock(name)
      await (await lock.acquire()).release()
      const interrupted = async (call: () => Promise<void>): Promise<void> => {
        const letGo = await server.lockRow(name)
        const calling = call()
        try {
          await server.end(await blocked(), what)
          // It is sent again, and waits again.
          if (inPostgres) await blocked()
        } finally {
          await letGo()
        }
        await calling
      }
      await one.run(async () => {
        await interrupted(() => lock.lock())
        expect(await lock.holdCount()).toBe(1)
        await lock.lock()
        await interrupted(() => lock.unlock())
        expect(await lock.holdCount()).toBe(1)
        expect(await other.lock(name).tryAcquire()).toBeNull()
        await lock.unlock()
      })
      await (await other.lock(name).acquire({ waitMs: 10_000 })).release()
    },
  )

  test.runIf(inPostgres)(
    'a transaction that stays open keeps old rows from being removed, and nothing from being locked',
    async () => {
      const { run, end } = await connectTo('PostgreSQL', server.address)
      onTestFinished(async () => void (await end()))
      await run('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await run('SELECT count(*) FROM holdfast_locks')
      const lock = open().fencedLock(name)
      const tokens: bigint[] = []
      for (let section = 0; section < 300; section += 1)
        await lock.withLock(({ fence = 0n }) => void tokens.push(fence))
      expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => (one < other ? -1 : 1)))
      expect(await run('SELECT FROM holdfast_locks WHERE name = ?', name)).toEqual([])
    },
  )
})
