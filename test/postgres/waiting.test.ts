/** A call that waits gets its lock soon (rule W7), whatever becomes of the connection on which it would hear, and however full the server is. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { Holdfast } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { until } from '../servers/until.js'
import { later } from '../setup/later.js'
import {
  bringNarrowPostgres,
  kindsOfCalls,
  libraryNames,
  missing,
  onePermit,
  Stand,
  title,
  untilWaiting,
} from './server.js'

// Leases are 30 s, and permits of a semaphore have none: who waited for that would be too late for the test.

describe.skipIf(missing).each(libraryNames)(
  `${title} by %s: a listening connection that is killed`,
  (library) => {
    const stand = new Stand()
    const open = (): Holdfast => stand.holdfast(stand.application(library))
    const deafen = () =>
      stand.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'",
      )

    test.each(['lock', 'fairLock', 'fencedLock'] as const)('while somebody waits for a %s', async (kind) => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      const hold = await one[kind](name).acquire()
      const acquiring = other[kind](name).acquire()
      await untilWaiting(one[kind](name))
      await deafen()
      await hold.release()
      await (await acquiring).release()
      expect(await one[kind](name).countWaitingClients()).toBe(0)
    })

    test('E5: while the last leader resigned: an observer is told of the next', async () => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      const seen: (bigint | undefined)[] = []
      const stop = new AbortController()
      const first = one.leader(name, { onElected: () => undefined })
      const before = await until(() => first.term, { what: 'the first is elected' })
      const watch = async (): Promise<void> => {
        for await (const leader of other.leader(name).watch({ signal: stop.signal })) seen.push(leader?.fence)
      }
      const watching = later(watch())
      const untilSeen = async (count: number): Promise<void> => {
        const row = "SELECT FROM holdfast_locks WHERE name = $1 AND waiting <> '{}'"
        const observed = async () => (await stand.pool.query(row, [`${name}:leader`])).rowCount === 1
        await until(async () => (await observed()) && seen.length === count, { what: `it has seen ${count}` })
      }
      await untilSeen(1)
      await deafen()
      await first.stop()
      await untilSeen(2)
      const second = one.leader(name, { onElected: () => undefined })
      await until(() => seen.length === 3, { what: 'it sees the next', withinMs: 20_000 })
      expect(seen).toEqual([before.fence, undefined, second.term?.fence])
      stop.abort()
      await Promise.all([watching, second.stop()])
    })
  },
)

describe.skipIf(missing)(`${title}: a server without room for another connection`, () => {
  const stand = new Stand(bringNarrowPostgres)
  const open = (): Holdfast => stand.holdfast(stand.pool, {}, { connections: 1 })
  const refusals = async (): Promise<number> =>
    (await readFile(join(stand.address.dir, 'output.txt'), 'utf8')).split('too many clients').length

  test.each(Object.entries(kindsOfCalls))('a %s is had by a call that cannot listen', async (_, handleOf) => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    await onePermit(one, name)
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
    const refused = { code: 'STORE_ERROR', reason: 'not-ready' }
    await expect(other.lock(name).tryAcquire()).rejects.toMatchObject(refused)
    const acquiring = other.lock(name).acquire({ waitMs: 60_000 })
    await hold.release()
    await empty()
    await (await acquiring).release()
  })

  describe.each(libraryNames)('keeps the connection that stays, by %s', (library) => {
    /** Longer than an unused connection stays, in the client's time. */
    const LONG_MS = 25_000
    const openAt = (clock: VirtualClock): Holdfast => {
      const store = Object.assign(postgres(stand.application(library)), { clock })
      // The watchdog renews after 40 s, in a lease that the server's clock does not see the end of. No command's time is up while its
      // answer is on its way: the client's clock goes on without the server.
      const holdfast = new Holdfast(store, { watchdogMs: 120_000, commandTimeoutMs: 100_000 })
      stand.after(() => holdfast.close())
      return holdfast
    }

    test('faults B10, L4: of a client that holds something renews it, and is closed when nothing is held', async () => {
      const clock = new VirtualClock()
      const holdfast = openAt(clock)
      const told: string[] = []
      for (const event of ['renewed', 'suspended', 'lost'] as const)
        holdfast.on(event, () => told.push(event))
      const hold = await holdfast.lock(randomUUID()).acquire()
      await clock.advance(LONG_MS)
      const empty = await stand.fill()
      await clock.advance(LONG_MS)
      await until(() => told.length > 0, { what: 'its lease was renewed' })
      expect(told).toEqual(['renewed'])
      await empty()
      await hold.release()
      await clock.advance(LONG_MS)
      await until(async () => (await stand.processes()).length === 0, { what: 'no connection is left' })
    })

    test('faults B10: of a client that waits, for as long as it takes, asks when it is told', async () => {
      const [clock, name] = [new VirtualClock(), randomUUID()]
      const latch = openAt(new VirtualClock()).countDownLatch(name)
      await latch.trySetCount(1)
      const awaiting = openAt(clock).countDownLatch(name).await()
      await untilWaiting(latch)
      await clock.advance(LONG_MS)
      await stand.fill()
      await latch.countDown()
      await awaiting
    })
  })
})
