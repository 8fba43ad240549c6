/** A server without room for another connection takes no lock from a client that has one already. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { Holdfast } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { until } from '../servers/until.js'
import { bringNarrowPostgres, libraryNames, missing, Stand, title } from './server.js'

/** Longer than an unused connection stays, in the client's time. */
const LONG_MS = 25_000

describe.skipIf(missing)(`${title}: the connection that stays`, () => {
  const stand = new Stand(bringNarrowPostgres)

  describe.each(libraryNames)('with %s', (library) => {
    const open = (clock: VirtualClock): Holdfast => {
      const store = Object.assign(postgres(stand.application(library)), { clock })
      // The watchdog renews after 40 s, in a lease that the server's clock does not see the end of. No command's time is up while its
      // answer is on its way: the client's clock goes on without the server.
      const holdfast = new Holdfast(store, { watchdogMs: 120_000, commandTimeoutMs: 100_000 })
      stand.after(() => holdfast.close())
      return holdfast
    }

    test('faults B10, L4: of a client that holds something renews it, and is closed when nothing is held', async () => {
      const clock = new VirtualClock()
      const holdfast = open(clock)
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
      const [one, other] = [open(new VirtualClock()), open(clock)]
      await one.countDownLatch(name).trySetCount(1)
      const awaiting = other.countDownLatch(name).await()
      await until(async () => (await one.countDownLatch(name).countWaitingClients()) === 1, {
        what: 'it waits',
      })
      await clock.advance(LONG_MS)
      await stand.fill()
      await one.countDownLatch(name).countDown()
      await awaiting
    })
  })
})
