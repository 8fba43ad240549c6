/** RedissonLockTest's tests about subscriptions, a server that is down, and the ends of waits. */
import { afterEach, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { clientLibrary } from '../setup/clients.js'
import { duringAll, duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { PrivateServer } from './private-server.js'

const LOCKS = 200
const ROUNDS = 3
/** With RESP3 one connection carries everything, with RESP2 there is one more for the news. */
const CONNECTIONS = clientLibrary === 'ioredis-6' ? 1 : 2

const place = duringAll(() => PrivateServer.bring())
afterEach(() => place.tidy())

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
})

describe('a server that is down', () => {
  const down = duringEach(() => PrivateServer.bring())

  test.each(['lock', 'spinLock'] as const)(
    'testRedisFailed: tryLock of a %s throws, it does not say false; a wait that is under way does not get it',
    async (kind) => {
      const [holdfast, other] = [down.holdfast(), down.holdfast()]
      const hold = await holdfast[kind]('known').acquire()
      const wait = other
        .run(() => other[kind]('known').tryLock({ waitMs: lasting(2_000) }))
        .catch((error: unknown) => error)
      await eventually(() => other.metrics().waiting === 1)
      await down.server.kill()
      expect(await wait).not.toBe(true)
      await expect(holdfast.run(() => holdfast[kind]('unknown').tryLock())).rejects.toSatisfy(
        (error) =>
          error instanceof StoreError && error.reason === 'unreachable' && error.lockName === 'unknown',
      )
      await hold.release().catch(() => undefined)
      await Promise.all([holdfast.close(), other.close()])
    },
  )
})
