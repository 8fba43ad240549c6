/** What permits and latches refuse: with a typed error, before anything is sent. */
import { afterEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { InvalidArgumentError, StoreError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')
const BAD_NUMBERS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null, {}]
const MOST = 2 ** 31 - 1

afterEach(() => place.tidy())

/** Calls with what the types forbid, as plain JavaScript can. */
function invoke(target: object, method: string, ...args: unknown[]): Promise<unknown> {
  return Promise.resolve(Reflect.apply(Reflect.get(target, method), target, args))
}

describe.each(['semaphore', 'permitExpirableSemaphore'] as const)('%s', (kind) => {
  test.each(BAD_NUMBERS)('%s permits are refused, and nothing has changed', async (bad) => {
    const semaphore = place.holdfast()[kind](place.lockName())
    await semaphore.trySetPermits(3)
    const calls: Array<[string, ...unknown[]]> = [
      ['trySetPermits', bad],
      ['addPermits', bad],
      ['reducePermits', bad],
      ['acquire', { permits: bad }],
      ['tryAcquire', { permits: bad }],
      ['withPermits', { permits: bad }, () => expect.unreachable()],
      ['withLock', { permits: bad }, () => expect.unreachable()],
    ]
    if (kind === 'semaphore') calls.push(['release', bad], ['releaseIfExists', bad])
    else if (bad !== 0) calls.push(['setPermits', bad])
    for (const [method, ...args] of calls)
      await expect(invoke(semaphore, method, ...args), method).rejects.toBeInstanceOf(InvalidArgumentError)
    expect(await semaphore.availablePermits()).toBe(3)
  })

  test('no number is so large that the sum could not be read any more', async () => {
    for (const where of [place, placeOf('memory')]) {
      const semaphore = where.holdfast()[kind](where.lockName())
      await semaphore.trySetPermits(MOST)
      await semaphore.addPermits(MOST)
      for (const method of ['addPermits', 'reducePermits'] as const)
        await expect(semaphore[method](MOST + 1)).rejects.toBeInstanceOf(InvalidArgumentError)
      await expect(semaphore.addPermits(Number.MAX_SAFE_INTEGER)).rejects.toBeInstanceOf(InvalidArgumentError)
      const hold = await semaphore.acquire()
      expect(await semaphore.availablePermits()).toBe(2 * MOST - 1)
      await hold.release()
      await where.tidy()
    }
  })

  test('an owner, an unknown option, and a body that is none are refused', async () => {
    const holdfast = place.holdfast()
    const semaphore = holdfast[kind](place.lockName())
    const calls: Array<[string, ...unknown[]]> = [
      ['acquire', { owner: holdfast.owner() }],
      ['acquire', { permit: 1 }],
      ['acquire', null],
      ['acquire', { waitMs: -1 }],
      ['acquire', { leaseMs: 1 }],
      ['withPermits', {}, 'no function'],
      ['withPermits', {}],
      ['trySetPermits', 1, { ttlMs: 0 }],
    ]
    for (const [method, ...args] of calls)
      await expect(invoke(semaphore, method, ...args), method).rejects.toBeInstanceOf(InvalidArgumentError)
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
      for (const method of ['acquire', 'tryAcquire'] as const)
        await expect(semaphore[method]({ permits })).rejects.toBeInstanceOf(InvalidArgumentError)
      await expect(semaphore.withPermits({ permits }, () => undefined)).rejects.toBeInstanceOf(
        InvalidArgumentError,
      )
      await where.tidy()
    }
  },
)

test('ten thousand permits with ids are taken and given back in one call', async () => {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  await semaphore.trySetPermits(10_000)
  const { permitIds } = await semaphore.acquire({ permits: 10_000 })
  await expect(semaphore.release([...permitIds, 'f'.repeat(32)])).rejects.toBeInstanceOf(InvalidArgumentError)
  expect(await semaphore.acquiredPermits()).toBe(10_000)
  await semaphore.release(permitIds)
  expect(await semaphore.acquiredPermits()).toBe(0)
})

test('ids that are none, or named twice, are refused', async () => {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  const good = 'a'.repeat(32)
  for (const bad of ['', 'zz', [], [good, good], good.toUpperCase(), [good, 7], undefined]) {
    for (const method of ['release', 'tryRelease'])
      await expect(invoke(semaphore, method, bad)).rejects.toBeInstanceOf(InvalidArgumentError)
  }
  for (const bad of [0, 9, 1.5, Number.NaN, undefined])
    await expect(invoke(semaphore, 'updateLeaseTime', good, bad)).rejects.toBeInstanceOf(InvalidArgumentError)
})

test.each(BAD_NUMBERS)('a latch does not count from %s', async (bad) => {
  const latch = place.holdfast().countDownLatch(place.lockName())
  await expect(invoke(latch, 'trySetCount', bad)).rejects.toBeInstanceOf(InvalidArgumentError)
  await expect(invoke(latch, 'await', { leaseMs: 100 })).rejects.toBeInstanceOf(InvalidArgumentError)
  expect(await latch.count()).toBe(0)
})

describe.each([
  ['a hash', ['HSET', 'field', '1']],
  ['a text that is no number', ['SET', 'some text']],
  ['a fraction', ['SET', '1.5']],
])('%s under the name', (_, [command = '', ...args]) => {
  test('is a wrong-type StoreError for each kind, and stays as it was', async () => {
    const [holdfast, client, name] = [place.holdfast(), place.client(), place.lockName()]
    await client.call(command, name, ...args)
    const before = await client.call('DUMP', name)
    const [semaphore, permits] = [holdfast.semaphore(name), holdfast.permitExpirableSemaphore(name)]
    const latch = holdfast.countDownLatch(name)
    const calls = [
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
    ]
    for (const call of calls) {
      const error = await rejectionOf(call())
      expect(error, String(call)).toBeInstanceOf(StoreError)
      expect(error, String(call)).toMatchObject({ reason: 'wrong-type' })
    }
    expect(await client.call('DUMP', name)).toEqual(before)
    expect(await client.call('KEYS', `*${name}*`)).toEqual([name])
  })
})
