/** A server that has no room for another connection keeps nobody from a lock who has one already (rule W7). */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { until } from '../servers/until.js'
import { bringNarrowPostgres, kindsOfCalls, missing, Stand, title } from './server.js'

describe.skipIf(missing)(`${title}: a server without room`, () => {
  const stand = new Stand(bringNarrowPostgres)
  const open = (): Holdfast => stand.holdfast(stand.pool, {}, { connections: 1 })

  const refusals = async (): Promise<number> =>
    (await readFile(join(stand.address.dir, 'output.txt'), 'utf8')).split('too many clients').length

  // The lease is 30 s, and permits of a semaphore have none: a call that waited for that would be too late for the test.
  test.each(Object.entries(kindsOfCalls))('a %s is had by a call that cannot listen', async (_, handleOf) => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    await one.semaphore(name).trySetPermits(1)
    await one.permitExpirableSemaphore(name).trySetPermits(1)
    const hold = await handleOf(one, name).acquire()
    // Each has its connection for commands.
    expect(await handleOf(other, name).tryAcquire()).toBeNull()
    await stand.fill()
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
    const empty = await stand.fill()
    await expect(other.lock(name).tryAcquire()).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason: 'not-ready',
    })
    const acquiring = other.lock(name).acquire({ waitMs: 60_000 })
    await hold.release()
    await empty()
    await (await acquiring).release()
  })
})
