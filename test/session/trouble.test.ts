/** Each kind in trouble: an answer that is lost, a session that ends between two steps, others that come and go. */
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockLostError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { type Client, Fleet, handleOf, type Kind, kinds } from './fleet.js'

const fleet = duringEach(() => new Fleet())

const steps = ['begin', 'stand', 'lease', 'remove', 'read cell', 'write cell'] as const

/** Lets a plan that needs time go on to its end. */
async function inTime<Result>(work: Promise<Result>, ms = 120_000): Promise<Result> {
  const over = work.then(
    () => true,
    () => true,
  )
  for (let passed = 0; passed < ms; passed += 100) {
    await fleet.clock.advance(100)
    if (await Promise.race([over, Promise.resolve(false)])) break
  }
  return await work
}

async function prepared(): Promise<Client> {
  const other = fleet.client()
  await other.holdfast.semaphore('name').trySetPermits(1)
  return other
}

/** Others can have it, and then nothing is left in any line. */
async function checkFree(other: Client, kind: Kind): Promise<void> {
  await (await inTime(handleOf(other.holdfast, kind).acquire())).release()
  await fleet.clock.advance(60_000)
  expect(fleet.ensemble.locks).toEqual([])
}

describe.each(kinds)('%s', (kind) => {
  test.each(steps)('S3, X1: a lost answer to "%s" leaves one hold, and nothing afterwards', async (step) => {
    const other = await prepared()
    const { holdfast, link } = fleet.client()
    link.unanswered = step
    const hold = await inTime(handleOf(holdfast, kind).acquire({ leaseMs: 30_000 }))
    hold.assertHeld()
    if (kind !== 'readLock') expect(await handleOf(other.holdfast, kind).tryAcquire()).toBeNull()
    await inTime(hold.release())
    await checkFree(other, kind)
  })

  test.each(steps)(
    'S4: the session ends when "%s" is done and not yet answered: a grant that has gone counts for nothing',
    async (step) => {
      const other = await prepared()
      const { holdfast, link } = fleet.client()
      link.meanwhile = (what) => {
        if (what !== step) return
        link.meanwhile = undefined
        for (let session = 0; session < 9; session += 1) fleet.ensemble.end(String(session))
      }
      let told = false
      const section = handleOf(holdfast, kind).withLock(async (hold) => {
        await fleet.settled()
        told = hold.signal.aborted
        expect(fleet.ensemble.locks.length > 0 || told).toBe(true)
      })
      await inTime(section).catch((error: unknown) => {
        if (!(error instanceof LockLostError)) throw error
      })
      await checkFree(other, kind)
    },
  )
})

describe('others', () => {
  test('S8: a neighbour that uses its key again is another entry: nobody behind its first one waits for its second', async () => {
    const { holdfast } = fleet.client()
    const { session } = fleet.ensemble.begin(600_000)
    const lock = { keyspace: 'lock', name: 'name' } as const
    const neighbour = { lock, session, key: '694d', mode: 'lock', ifFree: false } as const
    fleet.ensemble.stand(neighbour)
    const waiting = holdfast.lock('name').acquire()
    await fleet.settled()
    expect((await holdfast.lock('name').inspect()).owners).toMatchObject([{ owner: '694d:0', holds: 1 }])
    fleet.ensemble.remove(lock, neighbour.key)
    fleet.ensemble.stand(neighbour)
    const hold = await inTime(waiting)
    expect(fleet.line('name').map(({ key }) => key === neighbour.key)).toEqual([false, true])
    await hold.release()
  })

  test('an entry that is taken away is told at once, whoever did it', async () => {
    const [{ holdfast }, other] = [fleet.client(), await prepared()]
    for (const kind of kinds) {
      const hold = await handleOf(holdfast, kind).acquire()
      const { keyspace } = fleet.ensemble.locks[0] ?? { keyspace: 'lock' }
      const lock = { keyspace, name: 'name' } as const
      for (const { key } of fleet.ensemble.read(lock)) fleet.ensemble.remove(lock, key)
      await fleet.settled()
      expect(hold.signal.reason, kind).toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
      await (await handleOf(other.holdfast, kind).acquire()).release()
    }
  })

  test.each([true, false])(
    'a lease that ended while the connection was away is given back when that is there again (leases of their own: %s)',
    async (leases) => {
      const [{ holdfast, link }, other] = [fleet.client({ watchdogMs: 90_000 }, leases), fleet.client()]
      // The session is needed for something else, too, and lives on.
      await holdfast.lock('another').acquire()
      const hold = await holdfast.lock('name').acquire({ leaseMs: 1_000 })
      await fleet.clock.advance(900)
      link.cut = true
      await fleet.clock.advance(5_000)
      expect(hold.signal.aborted).toBe(true)
      link.cut = false
      await fleet.clock.advance(10_000)
      expect(fleet.line('name')).toEqual([])
      expect(fleet.line('another')).toHaveLength(1)
      await (await other.holdfast.lock('name').acquire({ waitMs: 0 })).release()
    },
  )

  test('S4: who waits for permits in its next session hears at once of a release, where watches end with their session', async () => {
    const [holder, waiter] = [await prepared(), fleet.client({}, false)]
    const hold = await holder.holdfast.semaphore('name').acquire()
    const waiting = waiter.holdfast.semaphore('name').acquire()
    let granted = false
    const next = waiting.then((hold) => {
      granted = true
      return hold
    })
    await fleet.settled()
    fleet.ensemble.end('2')
    waiter.link.endWatches()
    await fleet.settled()
    expect(await holder.holdfast.semaphore('name').countWaitingClients()).toBe(1)
    await hold.release()
    await fleet.settled()
    expect(granted).toBe(true)
    await (await next).release()
  })

  test('X1: a latch that opens tells all that wait, though the answer to that is lost', async () => {
    const [one, two] = [fleet.client(), fleet.client()]
    await one.holdfast.countDownLatch('latch').trySetCount(1)
    const passes = [one, two, two].map(({ holdfast }) => holdfast.countDownLatch('latch').await())
    await fleet.settled()
    expect(await one.holdfast.countDownLatch('latch').countWaitingClients()).toBe(2)
    two.link.unanswered = 'write cell'
    await inTime(two.holdfast.countDownLatch('latch').countDown())
    await inTime(Promise.all(passes))
    await fleet.settled()
    expect(fleet.ensemble.locks).toEqual([])
  })

  test.each(
    (['lock', 'fencedLock', 'fairLock', 'writeLock'] as const).flatMap((kind) =>
      [true, false].map((leases) => ({ kind, leases })),
    ),
  )(
    'S4: who is not answered where it stands now that another has left is told of the next release ($kind, leases $leases)',
    async ({ kind, leases }) => {
      const [one, two] = [fleet.client({}, leases), fleet.client({}, leases)]
      const [here, there] = [handleOf(one.holdfast, kind), handleOf(two.holdfast, kind)]
      const held = await there.acquire()
      const first = here.acquire()
      await fleet.settled()
      const leaving = new AbortController()
      const between = rejectionOf(there.acquire({ signal: leaving.signal }))
      await fleet.settled()
      let entered = false
      const second = here.acquire().then((hold) => {
        entered = true
        return hold
      })
      await fleet.settled()
      one.link.unanswered = 'read'
      leaving.abort('left')
      expect(await between).toBe('left')
      await fleet.settled()
      one.link.unanswered = undefined
      await held.release()
      await fleet.settled()
      await (await inTime(first, 1_000)).release()
      await fleet.clock.advance(100)
      expect(entered).toBe(true)
      await (await second).release()
    },
  )
})
