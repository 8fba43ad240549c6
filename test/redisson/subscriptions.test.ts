/** RedissonLockTest's tests about subscriptions, a server that is down, and the ends of waits. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LockLostError, StoreError } from '../../src/index.js'
import { clientLibrary } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { PrivateServer } from './private-server.js'

const LOCKS = 200
const ROUNDS = 3
/** With RESP3 one connection carries everything, with RESP2 there is one more for the news. */
const CONNECTIONS = clientLibrary === 'ioredis-6' ? 1 : 2

let place: PrivateServer

beforeAll(async () => {
  place = await PrivateServer.bring()
})
afterEach(() => place.tidy())
afterAll(() => place.stop())

async function channels(): Promise<unknown> {
  return await place.ask('PUBSUB', 'CHANNELS')
}

async function connections(): Promise<number> {
  const clients = String(await place.ask('CLIENT', 'LIST'))
  return clients.split('\n').filter((line) => line.includes('name=holdfast-')).length
}

describe('subscriptions', () => {
  // Redisson needs settings for this (pool size and subscriptions per connection); Holdfast has one subscriber whatever waits.
  test('testSubscriptionsPerConnection: hundreds of waits over one connection, and no channel is left', async () => {
    const waiting = place.holdfast()
    const holding = place.holdfast()
    let waits = 0
    // A wait that lasts long is told once more, with its cause.
    waiting.on('waiting', ({ cause }) => {
      if (cause === undefined) waits += 1
    })
    const one = async (index: number): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `subscriptions:${index}`
        const hold = await holding.lock(name).acquire()
        const next = waiting.lock(name).withLock(async () => undefined)
        await eventually(() => holding.lock(name).countWaitingClients())
        await hold.release()
        await next
      }
    }
    const all = Promise.all(Array.from({ length: LOCKS }, (_, index) => one(index)))
    let most = 0
    let done = false
    all.then(
      () => {
        done = true
      },
      () => {
        done = true
      },
    )
    await eventually(
      async () => {
        most = Math.max(most, await connections())
        return done
      },
      Boolean,
      60_000,
    )
    await all
    expect(waits).toBe(LOCKS * ROUNDS)
    expect(most).toBeLessThanOrEqual(CONNECTIONS + 1)
    await eventually(channels, (left) => Array.isArray(left) && left.length === 0)
  }, 90_000)

  test('testSinglePubSub: two waits at once share the subscriber, and each gets its lock', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const holds = await Promise.all(['one', 'two'].map((name) => holding.lock(name).acquire()))
    const waits = ['one', 'two'].map((name) => waiting.lock(name).acquire({ waitMs: 10_000 }))
    // The process's own channel, and for each lock, as the first in its line, the release channel and the roster.
    await eventually(channels, (open) => Array.isArray(open) && open.length === 5)
    await Promise.all(holds.map((hold) => hold.release()))
    const got = await Promise.all(waits)
    expect(got.map(({ name }) => name)).toEqual(['one', 'two'])
    await Promise.all(got.map((hold) => hold.release()))
  })
})

describe('waits that end', () => {
  // An interrupt is an abort here.
  test('testLockIsNotRenewedAfterInterruptedTryLock: an aborted tryLock leaves nothing that is renewed', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast({ watchdogMs: 900 })
    const aborts = Array.from({ length: 20 }, async (_, index) => {
      const name = `interrupted:${index}`
      const hold = await holding.lock(name).acquire({ leaseMs: 30_000 })
      const abort = new AbortController()
      const attempt = waiting.run(() => waiting.lock(name).tryLock({ waitMs: 30_000, signal: abort.signal }))
      // Some are interrupted with the attempt under way, some asleep, some with the release on its way to them.
      if (index % 4 > 0) await eventually(() => holding.lock(name).countWaitingClients())
      const released = index % 4 === 2 ? hold.release() : undefined
      abort.abort(new Error('interrupted'))
      // One that was let in before it heard of the interrupt has the lock, and its run has left it to nobody.
      await attempt.catch((error: unknown) => expect(error).toHaveProperty('message', 'interrupted'))
      await (released ?? hold.release())
    })
    await Promise.all(aborts)
    const renewed: string[] = []
    waiting.on('renewed', ({ name }) => renewed.push(name))
    await eventually(
      () => place.ask('KEYS', 'interrupted:*'),
      (keys) => Array.isArray(keys) && keys.length === 0,
    )
    expect(renewed).toEqual([])
    expect(waiting.census.watched).toBe(0)
  })

  // There are no interrupts in JavaScript: a wait ends early by its own signal, and by nothing else.
  test('testLockUninterruptibly: a lock() without a signal waits on, one with a signal ends with its reason', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    const hold = await holding.lock('uninterruptibly').acquire()
    const abort = new AbortController()
    const outcomes: string[] = []
    const patient = waiting.run(async () => {
      const lock = waiting.lock('uninterruptibly')
      await lock.lock()
      outcomes.push('patient got it')
      await lock.unlock()
    })
    const interrupted = waiting.run(() => waiting.lock('uninterruptibly').lock({ signal: abort.signal }))
    await eventually(() => holding.lock('uninterruptibly').countWaitingClients())
    const reason = new Error('interrupted')
    abort.abort(reason)
    await expect(interrupted).rejects.toBe(reason)
    expect(outcomes).toEqual([])
    await hold.release()
    await patient
    expect(outcomes).toEqual(['patient got it'])
  })
})

describe('listeners', () => {
  // Redisson listens for keyspace events of the lock's key; Holdfast has events of its own, which need no server setting.
  test('testLockListener: told of expiry and of unlock, and no more once taken off', async () => {
    const holdfast = place.holdfast()
    const told: string[] = []
    const onLost = ({ name }: { name: string }): number => told.push(`lost ${name}`)
    const onReleased = ({ name }: { name: string }): number => told.push(`released ${name}`)
    holdfast.on('lost', onLost).on('released', onReleased)
    const expiring = await holdfast.lock('expiring').acquire({ leaseMs: 100 })
    await eventually(() => told.length > 0)
    expect(told).toEqual(['lost expiring'])
    await expect(expiring.release()).rejects.toThrow(LockLostError)
    await holdfast.lock('released').withLock(() => undefined)
    expect(told).toEqual(['lost expiring', 'released released'])

    holdfast.off('lost', onLost).off('released', onReleased)
    const unheard = await holdfast.lock('expiring').acquire({ leaseMs: 100 })
    await eventually(() => unheard.remainingMs() === 0 && holdfast.census.tenures === 0)
    await holdfast.lock('released').withLock(() => undefined)
    expect(told).toHaveLength(2)
  })
})

describe('a server that is down', () => {
  let down: PrivateServer
  beforeEach(async () => {
    down = await PrivateServer.bring()
  })
  afterEach(() => down.stop())

  test('testRedisFailed: tryLock throws, it does not say false', async () => {
    const holdfast = down.holdfast()
    await holdfast.lock('known').withLock(() => undefined)
    await down.server.kill()
    await expect(holdfast.run(() => holdfast.lock('unknown').tryLock())).rejects.toSatisfy(
      (error) =>
        error instanceof StoreError && error.reason === 'unreachable' && error.lockName === 'unknown',
    )
    await expect(holdfast.lock('unknown').tryAcquire()).rejects.toThrow(StoreError)
    await holdfast.close()
  })
})
