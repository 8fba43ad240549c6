/** A server that has no room for another connection keeps nobody from a lock who has one already (rule W7). */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg, { type Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import type { SqlServer } from '../servers/sql/index.js'
import { bringSqlServer } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { missing, poolOf, title } from './server.js'

const MOST = 12

describe.skipIf(missing)(`${title}: a server without room`, () => {
  let server: SqlServer
  let pool: Pool
  const opened: Holdfast[] = []
  const fillers: pg.Client[] = []

  beforeAll(async () => {
    server = await bringSqlServer('PostgreSQL', {
      settings: { max_connections: String(MOST), superuser_reserved_connections: '0', max_wal_senders: '0' },
    })
    pool = poolOf(server.address)
  })

  afterEach(async () => {
    await Promise.all(fillers.splice(0).map((each) => each.end()))
    await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
  })

  afterAll(async () => {
    await pool?.end()
    await server?.stop()
  })

  const open = (): Holdfast => {
    const holdfast = new Holdfast(postgres(pool, { createTable: true, connections: 1 }))
    opened.push(holdfast)
    return holdfast
  }
  /** Takes all the connections that are left. */
  const fill = async (): Promise<void> => {
    for (;;) {
      const { dir: host, port, user, database } = server.address
      const filler = new pg.Client({ host, port, user, database })
      filler.on('error', () => undefined)
      try {
        await filler.connect()
      } catch (error) {
        expect(error).toMatchObject({ code: '53300' })
        return
      }
      fillers.push(filler)
    }
  }

  /** How many connections the server has refused. */
  const refusals = async (): Promise<number> =>
    (await readFile(join(server.address.dir, 'output.txt'), 'utf8')).split('too many clients').length

  const kinds = {
    lock: (holdfast: Holdfast, name: string) => holdfast.lock(name),
    'fair lock': (holdfast: Holdfast, name: string) => holdfast.fairLock(name),
    'fenced lock': (holdfast: Holdfast, name: string) => holdfast.fencedLock(name),
    'write lock': (holdfast: Holdfast, name: string) => holdfast.readWriteLock(name).writeLock(),
    semaphore: (holdfast: Holdfast, name: string) => holdfast.semaphore(name),
    'permit-expirable semaphore': (holdfast: Holdfast, name: string) =>
      holdfast.permitExpirableSemaphore(name),
  }

  // The lease is 30 s, and permits of a semaphore have none: a call that waited for that would be too late for the test.
  test.each(Object.entries(kinds))('a %s is had by a call that cannot listen', async (_, handleOf) => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    await one.semaphore(name).trySetPermits(1)
    await one.permitExpirableSemaphore(name).trySetPermits(1)
    const hold = await handleOf(one, name).acquire()
    // Each has its connection for commands.
    expect(await handleOf(other, name).tryAcquire()).toBeNull()
    await fill()
    const before = await refusals()
    const acquiring = handleOf(other, name).acquire()
    await until(async () => (await refusals()) > before + 2, {
      what: 'the server has refused it several connections',
    })
    await hold.release()
    await (await acquiring).release()
  })

  test('a call of a client that has no connection at all fails, or goes on when there is room again', async () => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    const hold = await one.lock(name).acquire()
    await fill()
    await expect(other.lock(name).tryAcquire()).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason: 'not-ready',
    })
    const acquiring = other.lock(name).acquire({ waitMs: 60_000 })
    await hold.release()
    await Promise.all(fillers.splice(0).map((each) => each.end()))
    await (await acquiring).release()
  })
})
