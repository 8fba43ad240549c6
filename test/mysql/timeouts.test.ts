/** What the operator limits or ends: sessions, statements, waits, writes. A lock stays whose it is, and each command counts once. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { until } from '../servers/until.js'
import { onServers, Stand } from './stand.js'

const WORKER = { user: 'worker', password: 'worker' }
const LIMITS = ['wait_timeout', 'lock_wait_timeout', 'innodb_lock_wait_timeout']

await onServers('limits of the operator', (product) => {
  const [library, statementLimit] =
    product === 'MariaDB'
      ? (['mariadb', 'max_statement_time = 0.01'] as const)
      : (['mysql2', 'max_execution_time = 10'] as const)
  const stand = new Stand(product)
  const run = (sql: string) => stand.run(sql)

  beforeAll(async () => {
    await run(`CREATE USER worker IDENTIFIED BY 'worker';
      GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO worker`)
  })
  beforeEach(async () => {
    for (const limit of [...LIMITS, statementLimit.split(' ')[0]]) await run(`SET GLOBAL ${limit} = DEFAULT`)
  })

  const open = (options?: HoldfastOptions): Holdfast => {
    const client = new Holdfast(mysql({ connect: () => stand.connect(library, WORKER) }), options)
    onTestFinished(() => client.close())
    return client
  }
  const renewed = (client: Holdfast) => new Promise((resolve) => client.once('renewed', resolve))
  const blocked = (): Promise<number> => until(() => stand.blocked(), { what: 'it waits for the row' })
  const whileLocked = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const letGo = await stand.lockRow(name)
    await work().finally(letGo)
  }

  test('limits on statements and waits, as short as they can be, do no harm', async () => {
    for (const limit of LIMITS.slice(1)) await run(`SET GLOBAL ${limit} = 1`)
    await run(`SET GLOBAL ${statementLimit}`)
    const [one, other] = [open(), open()]
    const name = randomUUID()
    let inside = 0
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : other).lock(name).withLock(() => {
          inside += 1
          expect(inside).toBe(1)
          inside -= 1
        }),
      ),
    )
  })

  test('sessions that end as soon as they are idle cost a holder nothing, nor a waiter', async () => {
    await run('SET GLOBAL wait_timeout = 1')
    const [one, other] = [open({ watchdogMs: 6_000 }), open()]
    const name = randomUUID()
    const hold = await one.lock(name).acquire()
    const acquiring = other.lock(name).acquire()
    for (let renewals = 0; renewals < 2; renewals += 1) await renewed(one)
    hold.assertHeld()
    await hold.release()
    await (await acquiring).release()
  })

  test.each(['QUERY', 'CONNECTION'])('KILL %s in mid-statement: what it did counts once', async (what) => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    const lock = one.lock(name)
    await (await lock.acquire()).release()
    await one.run(async () => {
      let acquiring: Promise<void> | undefined
      await whileLocked(name, async () => {
        acquiring = lock.lock()
        await run(`KILL ${what} ${await blocked()}`)
      })
      await acquiring
      expect(await lock.holdCount()).toBe(1)
      await lock.lock()
      let releasing: Promise<void> | undefined
      await whileLocked(name, async () => {
        releasing = lock.unlock()
        await run(`KILL ${what} ${await blocked()}`)
      })
      await releasing
      expect(await lock.holdCount()).toBe(1)
      expect(await other.lock(name).tryAcquire()).toBeNull()
      await lock.unlock()
    })
    await (await other.lock(name).acquire({ waitMs: 1_000 })).release()
  })
})
