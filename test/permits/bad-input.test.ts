/** What permits and latches refuse: with a typed error, before anything is sent. */
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { InvalidArgumentError, StoreError } from '../../src/index.js'
import { placeOf, tidiedPlace } from '../setup/places.js'

const place = tidiedPlace('standalone')
const BAD_NUMBERS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null, {}]
const MOST = 2 ** 31 - 1
const unreachable = (): never => expect.unreachable()

type Call = readonly [method: string, ...args: unknown[]]

/** Calls with what the types forbid, as plain JavaScript can. */
async function expectRefused(target: object, ...calls: readonly Call[]): Promise<void> {
  for (const [method, ...args] of calls)
    await expect(
      Promise.resolve(Reflect.apply(Reflect.get(target, method), target, args)),
      method,
    ).rejects.toBeInstanceOf(InvalidArgumentError)
}

describe.each(['semaphore', 'permitExpirableSemaphore'] as const)('%s', (kind) => {
  test.each(BAD_NUMBERS)('%s permits are refused, and nothing has changed', async (bad) => {
    const semaphore = place.holdfast()[kind](place.lockName())
    await semaphore.trySetPermits(3)
    for (const method of ['trySetPermits', 'addPermits', 'reducePermits'])
      await expectRefused(semaphore, [method, bad])
    for (const method of ['acquire', 'tryAcquire', 'withPermits', 'withLock'])
      await expectRefused(semaphore, [method, { permits: bad }, unreachable])
    if (kind === 'semaphore') await expectRefused(semaphore, ['release', bad], ['releaseIfExists', bad])
    else if (bad !== 0) await expectRefused(semaphore, ['setPermits', bad])
    expect(await semaphore.availablePermits()).toBe(3)
  })

  test('no number is so large that the sum could not be read any more', async () => {
    for (const where of [place, placeOf('memory')]) {
      const semaphore = where.holdfast()[kind](where.lockName())
      await semaphore.trySetPermits(MOST - 5)
      await expectRefused(semaphore, ['addPermits', MOST + 1], ['reducePermits', MOST + 1])
      const hold = await semaphore.acquire()
      await expectRefused(semaphore, ['addPermits', 6])
      if (kind === 'semaphore') await expectRefused(semaphore, ['releaseIfExists', 6], ['release', MOST])
      await semaphore.addPermits(5)
      await hold.release()
      expect(await semaphore.availablePermits()).toBe(MOST)
      for (const permits of [MOST, MOST]) await semaphore.reducePermits(permits)
      await expectRefused(semaphore, ['reducePermits', 1])
      await where.tidy()
    }
  })

  test('an owner, an unknown option, and a body that is none are refused', async () => {
    const holdfast = place.holdfast()
    const semaphore = holdfast[kind](place.lockName())
    for (const options of [{ owner: holdfast.owner() }, { permit: 1 }, null, { waitMs: -1 }, { leaseMs: 1 }])
      await expectRefused(semaphore, ['acquire', options])
    await expectRefused(semaphore, ['withPermits', {}, 'no function'], ['withPermits', {}])
    await expectRefused(semaphore, ['trySetPermits', 1, { ttlMs: 0 }])
  })

  test('more permits than there ever were are refused or waited for, and are no error', async () => {
    const semaphore = place.holdfast()[kind](place.lockName())
    await semaphore.trySetPermits(1)
    expect(await semaphore.tryAcquire({ permits: 2 })).toBeNull()
    const waiting = semaphore.acquire({ permits: 2 })
    await place.eventually(async () => (await semaphore.countWaitingClients()) === 1)
    await semaphore.addPermits(1)
    await (await waiting).release()
  })
})

test.each([10_001, Number.MAX_SAFE_INTEGER])(
  '%s permits with ids at once are refused, not worked on',
  async (permits) => {
    for (const where of [place, placeOf('memory')]) {
      const semaphore = where.holdfast().permitExpirableSemaphore(where.lockName())
      await semaphore.setPermits(MOST)
      for (const method of ['acquire', 'tryAcquire', 'withPermits'])
        await expectRefused(semaphore, [method, { permits }, unreachable])
      await where.tidy()
    }
  },
)

test('ten thousand permits with ids are taken and given back in one call', async () => {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  await semaphore.trySetPermits(10_000)
  const { permitIds } = await semaphore.acquire({ permits: 10_000 })
  await expectRefused(semaphore, ['release', [...permitIds, 'f'.repeat(32)]])
  expect(await semaphore.acquiredPermits()).toBe(10_000)
  await semaphore.release(permitIds)
  expect(await semaphore.acquiredPermits()).toBe(0)
})

test('ids that are none, or named twice, are refused', async () => {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  const good = 'a'.repeat(32)
  for (const bad of ['', 'zz', [], [good, good], good.toUpperCase(), [good, 7], undefined])
    await expectRefused(semaphore, ['release', bad], ['tryRelease', bad])
  for (const bad of [0, 9, 1.5, Number.NaN, undefined])
    await expectRefused(semaphore, ['updateLeaseTime', good, bad])
})

test.each(BAD_NUMBERS)('a latch does not count from %s', async (bad) => {
  const latch = place.holdfast().countDownLatch(place.lockName())
  await expectRefused(latch, ['trySetCount', bad], ['await', { leaseMs: 100 }])
  expect(await latch.count()).toBe(0)
})

test.each([
  ['a hash', ['HSET', 'field', '1']],
  ['a text that is no number', ['SET', 'some text']],
  ['a fraction', ['SET', '1.5']],
])(
  '%s under the name is a wrong-type StoreError for each kind, and stays as it was',
  async (_, [command = '', ...args]) => {
    const [holdfast, client, name] = [place.holdfast(), place.client(), place.lockName()]
    await client.call(command, name, ...args)
    const before = await client.call('DUMP', name)
    const [semaphore, permits] = [holdfast.semaphore(name), holdfast.permitExpirableSemaphore(name)]
    const latch = holdfast.countDownLatch(name)
    for (const call of [
      ...[semaphore, permits].flatMap((each) => [
        () => each.tryAcquire(),
        () => each.trySetPermits(1),
        () => each.addPermits(1),
        () => each.availablePermits(),
      ]),
      () => semaphore.drainPermits(),
      () => semaphore.release(),
      () => permits.setPermits(1),
      () => latch.tryAwait(),
      () => latch.trySetCount(1),
      () => latch.countDown(),
      () => latch.count(),
      () => latch.delete(),
    ]) {
      const error = await rejectionOf(call())
      expect(error, String(call)).toBeInstanceOf(StoreError)
      expect(error, String(call)).toMatchObject({ reason: 'wrong-type' })
    }
    expect(await client.call('DUMP', name)).toEqual(before)
    expect(await client.call('KEYS', `*${name}*`)).toEqual([name])
  },
)
