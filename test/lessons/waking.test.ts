/** How others' waiters missed their wake-up, woke too often, or took it from each other. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { defaultLabel } from '../../src/identity/label.js'
import { LockTimeoutError, TooManyWaitersError } from '../../src/index.js'
import { PrivateServer } from '../redisson/private-server.js'
import { eventually } from '../setup/eventually.js'

/** Longer than any test: a waiter that misses its wake-up fails the test by its time limit. */
const LONG_LEASE_MS = 600_000
let place: PrivateServer

beforeAll(async () => {
  place = await PrivateServer.bring()
})
afterEach(() => place.tidy())
afterAll(() => place.stop())

describe('wake-ups', () => {
  test('redisson#1763, #5070, #5761, #6539: between attempt, subscription and sleep no release is missed', async () => {
    const clients = [place.holdfast(), place.holdfast(), place.holdfast()]
    const rounds = 150
    let sections = 0
    const loops = clients.flatMap((holdfast) =>
      Array.from({ length: 2 }, async () => {
        for (let round = 0; round < rounds; round += 1) {
          // One that sleeps on ends here, well before a run that is merely slow.
          const hold = await holdfast.lock('ping-pong').acquire({ leaseMs: LONG_LEASE_MS, waitMs: 30_000 })
          sections += 1
          // Sometimes it is gone before the others have subscribed, sometimes long after.
          if (round % 3) await new Promise((resolve) => setImmediate(resolve))
          await hold.release()
        }
      }),
    )
    await Promise.all(loops)
    expect(sections).toBe(6 * rounds)
  }, 120_000)

  test('redisson#5762, #3891: a lock whose end nobody announces is found when its lease is over', async () => {
    await place.ask('HSET', 'unannounced', 'somebody:1', 1)
    await place.ask('PEXPIRE', 'unannounced', 300)
    const hold = await place.holdfast().lock('unannounced').acquire({ waitMs: 10_000 })
    await hold.release()
  })

  test("node-redisson: one waiter's timeout or abort takes the subscription from no other", async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const hold = await holding.lock('shared').acquire({ leaseMs: LONG_LEASE_MS })
    const lock = waiting.lock('shared')
    const abort = new AbortController()
    const leaving = [
      lock.acquire({ waitMs: 100 }),
      lock.acquire({ waitMs: 150 }),
      lock.acquire({ signal: abort.signal }),
    ]
    const staying = Array.from({ length: 3 }, () => lock.withLock(() => 'in'))
    const left = Promise.allSettled(leaving)
    await eventually(() => holding.lock('shared').countWaitingClients())
    await eventually(() => waiting.census.calls <= 4)
    abort.abort()
    expect((await left).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await holding.lock('shared').countWaitingClients()).toBe(1)
    await hold.release()
    expect(await Promise.all(staying)).toEqual(['in', 'in', 'in'])
  })

  test("redisson PR#6047: a waiter that leaves while the subscription is under way spoils nobody's", async () => {
    const holding = place.holdfast()
    for (let round = 0; round < 20; round += 1) {
      const name = `poisoned:${round}`
      const hold = await holding.lock(name).acquire({ leaseMs: LONG_LEASE_MS })
      const waiting = place.holdfast()
      const abort = new AbortController()
      const first = waiting.lock(name).acquire({ signal: abort.signal })
      const second = waiting.lock(name).withLock(() => 'in')
      // With the first at another point of its way each time.
      for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      abort.abort(new Error('left'))
      await expect(first).rejects.toThrow('left')
      await eventually(() => holding.lock(name).countWaitingClients())
      await hold.release()
      expect(await second).toBe('in')
    }
  })
})

describe('nothing is left and nothing is spent', () => {
  test('redisson#7264, #6328, #3577, #4064, #2575: hundreds of waits in vain leave no channel and use up nothing', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const names = Array.from({ length: 100 }, (_, index) => `in-vain:${index}`)
    const holds = await Promise.all(names.map((name) => holding.lock(name).acquire()))
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled(
        names.map((name) => waiting.lock(name).acquire({ waitMs: 30 })),
      )
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LockTimeoutError) })
      }
    }
    await eventually(
      () => place.ask('PUBSUB', 'CHANNELS'),
      (channels) => Array.isArray(channels) && channels.length === 0,
    )
    expect(waiting.census).toMatchObject({ gates: 0, calls: 0, watched: 0, orphans: 0 })
    // And one more wait works as the first did.
    const next = waiting.lock('in-vain:0').withLock(() => 'in')
    await eventually(() => holding.lock('in-vain:0').countWaitingClients())
    await Promise.all(holds.map((hold) => hold.release()))
    expect(await next).toBe('in')
  })

  test('node-redlock#52, #289, #121, redis-semaphore#118: a wait of zero makes exactly one attempt, and says what came of it', async () => {
    const holding = place.holdfast()
    const asking = place.holdfast()
    await asking.lock('known').withLock(() => undefined)
    const hold = await holding.lock('once').acquire()
    const before = await place.calls('evalsha')
    expect(await asking.lock('once').tryAcquire()).toBeNull()
    expect(await place.calls('evalsha')).toBe(before + 1)
    expect(await asking.run(() => asking.lock('once').tryLock({ waitMs: 0 }))).toBe(false)
    expect(await place.calls('evalsha')).toBe(before + 2)
    await expect(asking.lock('once').acquire({ waitMs: 0 })).rejects.toThrow(LockTimeoutError)
    expect(await place.calls('evalsha')).toBe(before + 3)
    expect(await place.ask('PUBSUB', 'CHANNELS')).toEqual([])
    await hold.release()
    await asking.run(async () => {
      expect(await asking.lock('once').tryLock()).toBe(true)
      await asking.lock('once').unlock()
    })
    const mine = await asking.lock('once').tryAcquire()
    mine?.assertHeld()
    await mine?.release()
    expect(mine?.name).toBe('once')
  })

  test('errorception/redis-lock#39: waiters are capped, and one that is no longer wanted can be called off', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast({ maxWaiters: 3 })
    const hold = await holding.lock('crowd').acquire()
    const lock = waiting.lock('crowd')
    const abort = new AbortController()
    const waits = Array.from({ length: 3 }, () => lock.acquire({ signal: abort.signal }))
    const all = Promise.allSettled(waits)
    await eventually(() => holding.lock('crowd').countWaitingClients())
    await expect(lock.acquire()).rejects.toThrow(TooManyWaitersError)
    abort.abort(new Error('request gone'))
    for (const outcome of await all) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'request gone' } })
    }
    const roomAgain = lock.withLock(() => 'in')
    await hold.release()
    expect(await roomAgain).toBe('in')
  })

  test('OpenCTI#17341: waits are not silent: who waits, for whom, and how long it took', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const hold = await holding.lock('heard').acquire()
    const events: object[] = []
    waiting.on('waiting', (event) => events.push(event))
    waiting.on('acquired', (event) => events.push(event))
    const next = waiting.lock('heard').acquire()
    await eventually(() => events.length > 0)
    const waitedAtLeastMs = 50
    await new Promise((resolve) => setTimeout(resolve, waitedAtLeastMs))
    await hold.release()
    const mine = await next
    expect(events).toEqual([
      {
        ...{ name: 'heard', owner: mine.owner, holder: hold.owner },
        ...{ holderLabel: defaultLabel(), heldSince: expect.any(Number), remainingMs: expect.any(Number) },
      },
      { name: 'heard', owner: mine.owner, holdCount: 1, waitedMs: expect.any(Number) },
    ])
    expect(Object(events[1]).waitedMs).toBeGreaterThanOrEqual(waitedAtLeastMs - 2)
    await mine.release()
  })

  test('common-voice PR#2476, discourse PR#17886: who waits does not poll', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const hold = await holding.lock('quiet').acquire({ leaseMs: LONG_LEASE_MS })
    const waits = Array.from({ length: 20 }, () => waiting.lock('quiet').withLock(() => undefined))
    await eventually(() => holding.lock('quiet').countWaitingClients())
    await eventually(async () => {
      const seen = await place.calls('evalsha')
      await new Promise((resolve) => setTimeout(resolve, 50))
      return seen === (await place.calls('evalsha'))
    })
    const before = await place.calls('evalsha')
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await place.calls('evalsha')).toBe(before)
    await hold.release()
    await Promise.all(waits)
  })
})
