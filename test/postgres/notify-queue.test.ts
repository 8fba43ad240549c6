/** A server whose queue of notifications is full keeps no lock taken: it changes without a message, and who waits asks. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, StoreError } from '../../src/index.js'
import { whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { bringPostgres, kindsOfCalls, libraryNames, onePermit, Stand, untilWaiting } from './server.js'
import { tallies } from './tally.js'

/** The first release whose queue may be small. */
const RELEASE = '18'

const refusal = await whyNot('PostgreSQL', RELEASE)
const title = refusal === undefined ? 'PostgreSQL' : `PostgreSQL ${RELEASE}: skipped (${refusal})`

describe.skipIf(refusal !== undefined)(`${title}: a full queue of notifications`, () => {
  const stand = new Stand(() =>
    bringPostgres({ release: RELEASE, settings: { max_notify_queue_pages: '64' } }),
  )
  let blocker: pg.Client | undefined

  afterEach(async () => {
    await empty()
    await stand.pool.query('SELECT pg_notification_queue_usage()')
  })

  /** Another program listens and does not end its transaction, and others notify. */
  const fill = async (): Promise<void> => {
    const { dir: host, port, user, database } = stand.address
    blocker = new pg.Client({ host, port, user, database })
    await blocker.connect()
    for (const statement of ['LISTEN somewhere', 'BEGIN', 'SELECT 1']) await blocker.query(statement)
    const text = 'x'.repeat(7_000)
    const notifying = async (): Promise<never> => {
      for (;;) await stand.pool.query("SELECT pg_notify('somewhere', $1)", [text])
    }
    await expect(notifying()).rejects.toMatchObject({ code: '54000' })
  }
  const empty = async (): Promise<void> => {
    await blocker?.end()
    blocker = undefined
  }

  describe.each(libraryNames)('with %s', (library) => {
    const open = (): Holdfast => {
      const holdfast = stand.holdfast(stand.application(library))
      holdfast.on('error', () => undefined)
      return holdfast
    }

    // The lease is 30 s: who waited for that would be too late for the test.
    test.each(Object.entries(kindsOfCalls))(
      'faults B9, W7: a %s that is released is free, and is had by who began to wait before and after',
      async (_, handleOf) => {
        const [one, before, after] = [open(), open(), open()]
        const name = randomUUID()
        await onePermit(one, name)
        const hold = await handleOf(one, name).acquire()
        const first = handleOf(before, name).acquire()
        await untilWaiting(handleOf(one, name))
        await fill()
        const second = handleOf(after, name).acquire()
        await hold.release()
        await Promise.all([first, second].map(async (acquiring) => (await acquiring).release()))
        expect(await handleOf(one, name).tryAcquire()).not.toBeNull()
      },
    )

    test('faults B9: a latch opens for who waits', async () => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      const latch = one.countDownLatch(name)
      await latch.trySetCount(1)
      const awaiting = other.countDownLatch(name).await()
      await untilWaiting(latch)
      await fill()
      await latch.countDown()
      await awaiting
    })

    test('faults B9: who waits on while there is room again hears as before, and the application was told once', async () => {
      const [one, other] = [open(), open()]
      const told: unknown[] = []
      one.on('error', (error) => told.push(error))
      const name = randomUUID()
      const hold = await one.lock(name).acquire()
      const acquiring = other.lock(name).acquire()
      await untilWaiting(one.lock(name))
      await fill()
      await hold.release()
      const held = await acquiring
      // O1: what the other has taken by asking, not by its place in line, stays its own.
      expect(await one.lock(name).tryAcquire()).toBeNull()
      const back = one.lock(name).acquire()
      await empty()
      // It stands in line again, without anybody else having asked for the usage of the queue.
      await untilWaiting(other.lock(name))
      await held.release()
      await (await back).release()
      expect(told).toHaveLength(1)
      expect(told[0]).toBeInstanceOf(StoreError)
      expect(String(told[0])).toContain('queue of notifications is full')
    })

    test('faults B9: the queue of a program that is gone keeps nobody from a message', async () => {
      const application = stand.application(library)
      const [sender, receiver] = [stand.client(application), stand.client(application)]
      await receiver.session.inbox?.opened()
      await fill()
      await empty()
      // The first finds the queue full, and has it emptied.
      for (const name of ['a', 'b'])
        await sender.session.change(tallies, randomUUID(), ({ body, tell }) => {
          body.holds += 1
          tell(receiver.id, { keyspace: 'lock', name, text: '{}' })
        })
      await until(() => receiver.messages.length === 2, { what: 'both are told' })
    })
  })
})
