/** A server whose queue of notifications is full keeps no lock taken: it changes without a message, and who waits asks. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, StoreError } from '../../src/index.js'
import { whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { bringPostgres, kindsOfCalls, libraryNames, Stand } from './server.js'
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
    await blocker?.end()
    blocker = undefined
    await stand.pool.query('SELECT pg_notification_queue_usage()')
  })

  /** Another program listens and does not end its transaction, and others notify. */
  const fill = async (): Promise<void> => {
    const { dir: host, port, user, database } = stand.address
    blocker = new pg.Client({ host, port, user, database })
    await blocker.connect()
    await blocker.query('LISTEN somewhere')
    await blocker.query('BEGIN')
    await blocker.query('SELECT 1')
    const text = 'x'.repeat(7_000)
    for (let full = false; !full; ) {
      full = await stand.pool.query("SELECT pg_notify('somewhere', $1)", [text]).then(
        () => false,
        (error: unknown) => {
          expect(error).toMatchObject({ code: '54000' })
          return true
        },
      )
    }
  }

  describe.each(libraryNames)('with %s', (library) => {
    const open = (): Holdfast => {
      const holdfast = stand.holdfast(stand.application(library))
      holdfast.on('error', () => undefined)
      return holdfast
    }
    const waiting = (holdfast: Holdfast, name: string): Promise<boolean> =>
      until(async () => (await holdfast.lock(name).countWaitingClients()) === 1, { what: 'it waits' })

    // The lease is 30 s: who waited for that would be too late for the test.
    test.each(Object.entries(kindsOfCalls))(
      'faults B9, W7: a %s that is released is free, and is had by who began to wait before and after',
      async (_, handleOf) => {
        const [one, before, after] = [open(), open(), open()]
        const name = randomUUID()
        await one.semaphore(name).trySetPermits(1)
        await one.permitExpirableSemaphore(name).trySetPermits(1)
        const hold = await handleOf(one, name).acquire()
        const first = handleOf(before, name).acquire()
        await until(async () => (await handleOf(one, name).countWaitingClients()) === 1, {
          what: 'it waits',
        })
        await fill()
        const second = handleOf(after, name).acquire()
        await hold.release()
        const turns = [first, second].map(async (acquiring) => (await acquiring).release())
        await Promise.all(turns)
        expect(await handleOf(one, name).tryAcquire()).not.toBeNull()
      },
    )

    test('faults B9: a latch opens for who waits', async () => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      await one.countDownLatch(name).trySetCount(1)
      const awaiting = other.countDownLatch(name).await()
      await until(async () => (await one.countDownLatch(name).countWaitingClients()) === 1, {
        what: 'it waits',
      })
      await fill()
      await one.countDownLatch(name).countDown()
      await awaiting
    })

    test('faults B9: who waits on while there is room again hears as before, and the application was told once', async () => {
      const [one, other] = [open(), open()]
      const told: unknown[] = []
      one.on('error', (error) => told.push(error))
      const name = randomUUID()
      const hold = await one.lock(name).acquire()
      const acquiring = other.lock(name).acquire()
      await waiting(one, name)
      await fill()
      await hold.release()
      const held = await acquiring
      // O1: what the other has taken by asking, not by its place in line, stays its own.
      expect(await one.lock(name).tryAcquire()).toBeNull()
      const back = one.lock(name).acquire()
      await blocker?.end()
      blocker = undefined
      // It stands in line again, without anybody else having asked for the usage of the queue.
      await waiting(other, name)
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
      await blocker?.end()
      blocker = undefined
      await sender.session.change(tallies, randomUUID(), ({ body, tell }) => {
        body.holds += 1
        tell(receiver.id, { keyspace: 'lock', name: 'a', text: '{}' })
      })
      // The first finds the queue full, and has it emptied.
      await sender.session.change(tallies, randomUUID(), ({ body, tell }) => {
        body.holds += 1
        tell(receiver.id, { keyspace: 'lock', name: 'b', text: '{}' })
      })
      await until(() => receiver.messages.length === 2, { what: 'both are told' })
    })
  })
})
