/** A server without room for another connection takes no lock from a client that has one already. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { Holdfast } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { libraryNames } from './clients.js'
import { Stand } from './stand.js'

/** Longer than an unused connection stays, in the client's time. */
const LONG_MS = 25_000

const hindrance = await whyNot('MariaDB')

describe.skipIf(hindrance)(
  `MariaDB${hindrance ? `: skipped (${hindrance})` : ''}: the connection that stays`,
  () => {
    const stand = new Stand('MariaDB', { settings: { max_connections: '10' } })

    const fill = async (): Promise<void> => {
      for (;;) {
        try {
          const filler = await stand.connect('mysql2')
          onTestFinished(async () => void (await filler.end()))
        } catch (error) {
          expect(error).toMatchObject({ errno: 1040 })
          return
        }
      }
    }

    test.each(libraryNames)(
      'faults B10, L4: of a client that holds something renews it (%s)',
      async (library) => {
        const clock = new VirtualClock()
        const store = mysql({ connect: () => stand.connect(library), createTable: true })
        // The watchdog renews after 40 s, in a lease that the server's clock does not see the end of. No command's time is up while its
        // answer is on its way: the client's clock goes on without the server.
        const options = { watchdogMs: 120_000, commandTimeoutMs: 100_000 }
        const holdfast = new Holdfast(Object.assign(store, { clock }), options)
        onTestFinished(() => holdfast.close())
        const told: string[] = []
        for (const event of ['renewed', 'suspended', 'lost'] as const)
          holdfast.on(event, () => told.push(event))
        const hold = await holdfast.lock(randomUUID()).acquire()
        await clock.advance(LONG_MS)
        await fill()
        await clock.advance(LONG_MS)
        await until(() => told.length > 0, { what: 'its lease was renewed' })
        expect(told).toEqual(['renewed'])
        await hold.release()
      },
    )
  },
)
