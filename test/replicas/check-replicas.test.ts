import { Redis } from 'ioredis5'
import { describe, expect, inject, test } from 'vitest'
import { kindNames } from '../../src/conformance/kinds.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, InvalidArgumentError, type Lock, StoreError } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { named } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { takes } from '../fault/takes.js'
import { duringEach } from '../setup/during.js'
import { tidiedPlace } from '../setup/places.js'

/** One replica, which may be slow on a busy machine. */
const PATIENT = { checkReplicas: 1, replicasTimeoutMs: 10_000, commandTimeoutMs: 30_000 }

/** `checkReplicas`: the group of the run has one replica, its single server and its cluster have none. */
describe.each(kindNames)('checkReplicas: %s', (kind) => {
  const [group, cluster] = [tidiedPlace('sentinel', kind), tidiedPlace('cluster', kind)]

  test('what is held, the replica has: without waiting for it', async () => {
    const replica = await replicaOfGroup()
    const lock = group.holdfast(PATIENT).lock(group.lockName())
    for (let round = 0; round < 20; round += 1) {
      await lock.withLock(async () => {
        expect(await replica.keys(`*${lock.name}*`)).not.toEqual([])
        await lock.withLock(() => undefined)
      })
    }
    expect(await lock.isLocked()).toBe(false)
    replica.disconnect()
  })

  test('waiters and holders with leases of their own are acknowledged too', async () => {
    const [one, other] = [group.holdfast(PATIENT), group.holdfast(PATIENT)]
    const name = group.lockName()
    let inside = 0
    const section = async (): Promise<void> => {
      inside += 1
      expect(inside).toBe(1)
      await null
      inside -= 1
    }
    const rounds = Array.from({ length: 10 }, (_, index) => (index % 2 ? { leaseMs: 30_000 } : {}))
    await Promise.all(
      [one, other].flatMap((each) => rounds.map((options) => each.lock(name).withLock(options, section))),
    )
    expect(await one.lock(name).isLocked()).toBe(false)
  })

  test.each([
    { place: group, replicas: 2, has: 1 },
    { place: cluster, replicas: 1, has: 0 },
  ])(
    'redisson#4822, #4706: a shortfall ($has of $replicas) is a StoreError, and nothing is held',
    async ({ place, replicas }) => {
      const lock = place.holdfast({ checkReplicas: replicas, replicasTimeoutMs: 20 }).lock(place.lockName())
      for (const call of [
        () => lock.acquire(),
        () => lock.tryAcquire(),
        () => lock.acquire({ leaseMs: 60_000, waitMs: 30_000 }),
        () => lock.withLock(() => expect.unreachable()),
      ]) {
        const error = await rejectionOf(call())
        expect(error).toBeInstanceOf(StoreError)
        expect(error).toMatchObject({ reason: 'replicas', transient: false, lockName: lock.name })
        expect(await lock.isLocked()).toBe(false)
      }
      const plain = place.holdfast().lock(lock.name)
      await plain.withLock(() => undefined)
    },
  )
})

describe('checkReplicas: what several hold', () => {
  const [group, cluster] = [tidiedPlace('sentinel'), tidiedPlace('cluster')]

  const members = (from: Holdfast, name: string): Lock[] =>
    ['a', 'b', 'c'].map((member) => from.lock(`${name}:${member}`))
  test.each(
    Object.entries({
      'read lock': {
        take: takes.readLock,
        isFree: async (from: Holdfast, name: string) =>
          !(await from.readWriteLock(name).readLock().isLocked()),
      },
      semaphore: {
        take: (from: Holdfast, name: string) => from.semaphore(name, 3).acquire({ permits: 2 }),
        isFree: async (from: Holdfast, name: string) => (await from.semaphore(name).availablePermits()) === 3,
      },
      'permit-expirable semaphore': {
        take: takes.permitExpirableSemaphore,
        isFree: async (from: Holdfast, name: string) =>
          (await from.permitExpirableSemaphore(name).availablePermits()) === 2,
      },
      'multi-lock': {
        take: (from: Holdfast, name: string) => from.multiLock(members(from, name)).acquire(),
        isFree: async (from: Holdfast, name: string) => {
          const locked = await Promise.all(members(from, name).map((member) => member.isLocked()))
          return !locked.includes(true)
        },
      },
    }),
  )('%s: held where replicas answer, all given back where not', async (_, kind) => {
    const holdfast = group.holdfast(PATIENT)
    const name = group.lockName()
    const hold = await kind.take(holdfast, name)
    expect(await kind.isFree(holdfast, name)).toBe(false)
    await hold.release()
    expect(await kind.isFree(holdfast, name)).toBe(true)
    for (const [place, checkReplicas] of [
      [group, 2],
      [cluster, 1],
    ] as const) {
      const wanting = place.holdfast({ checkReplicas, replicasTimeoutMs: 20 })
      const other = place.lockName()
      expect(await rejectionOf(kind.take(wanting, other))).toMatchObject({ reason: 'replicas' })
      expect(await kind.isFree(wanting, other)).toBe(true)
    }
  })
})

describe('checkReplicas: its commands', () => {
  const scene = duringEach(() => Scene.standalone())

  test('W4: an abort while replicas are waited for gives the lock back', async () => {
    const lock = scene.holdfast({ checkReplicas: 1, replicasTimeoutMs: 50 }).lock(scene.name)
    const held = scene.holdReply(named('WAIT'))
    const abort = new AbortController()
    const refused = rejectionOf(lock.acquire({ signal: abort.signal }))
    const reply = await held
    expect(await scene.holds()).not.toEqual({})
    abort.abort(new Error('enough'))
    expect(await refused).toMatchObject({ message: 'enough' })
    reply.letGo()
    await scene.nothingLeft()
  })

  test('X1: a broken connection while replicas are waited for: acquired once, or given back', async () => {
    const lock = scene.holdfast({ checkReplicas: 1, replicasTimeoutMs: 50 }).lock(scene.name)
    const dropped = scene.dropReply(named('WAIT'), 'break')
    const error = await rejectionOf(lock.acquire())
    await dropped
    expect(error).toMatchObject({ reason: 'replicas' })
    await scene.nothingLeft()
  })

  test('redisson#5586, #4645, #6775, #4573, #5614, #7321: many at once share a WAIT, a busy lock costs none, without the option there is none', async () => {
    const holdfast = scene.holdfast({ checkReplicas: 1, replicasTimeoutMs: 20 })
    const names = Array.from({ length: 40 }, (_, index) => `${scene.name}:${index}`)
    const tally = scene.proxy.tally()
    const waits = (): number => tally.labels.filter((label) => label === 'WAIT').length
    await Promise.all(names.map((name) => rejectionOf(holdfast.lock(name).acquire())))
    expect(waits()).toBeGreaterThanOrEqual(1)
    expect(waits()).toBeLessThanOrEqual(4)
    const before = waits()
    await using _busy = await scene.holdfast().lock(scene.name).acquire()
    expect(await holdfast.lock(scene.name).tryAcquire()).toBeNull()
    expect(waits()).toBe(before)
  })
})

describe('checkReplicas: bad input', () => {
  test.each([
    { checkReplicas: -1 },
    { checkReplicas: 1.5 },
    { checkReplicas: 1, replicasTimeoutMs: 0 },
    { checkReplicas: 1, replicasTimeoutMs: 3_000, commandTimeoutMs: 3_000 },
    { replicasTimeoutMs: 100 },
  ])('%o is refused', (options) => {
    expect(() => new Holdfast(new MemoryStore(), options)).toThrow(InvalidArgumentError)
  })

  test('a store that has no replicas says so', () => {
    expect(() => new Holdfast(new MemoryStore(), { checkReplicas: 1 })).toThrow(/no replicas/)
  })
})

/** Straight to the replica of the run's group. */
async function replicaOfGroup(): Promise<Redis> {
  const { sentinels, name } = inject('servers').sentinel
  const [address] = sentinels
  if (!address) throw new Error('a group has sentinels')
  const sentinel = new Redis(address)
  const reply = await sentinel.call('SENTINEL', 'REPLICAS', name)
  sentinel.disconnect()
  const fields: unknown[] = Array.isArray(reply) && Array.isArray(reply[0]) ? reply[0] : []
  const field = (key: string): string => String(fields[fields.indexOf(key) + 1])
  return new Redis({ host: field('ip'), port: Number(field('port')) })
}
