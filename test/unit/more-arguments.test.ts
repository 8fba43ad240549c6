import { expect, test } from 'vitest'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { duringEach } from '../setup/during.js'

const holdfast = duringEach(() => new Holdfast(new MemoryStore()))

const nothing = (): undefined => undefined
const calls: Readonly<Record<string, readonly unknown[]>> = {
  lock: ['a', {}],
  fencedLock: ['a', {}],
  fairLock: ['a', {}],
  readWriteLock: ['a'],
  semaphore: ['a', 3],
  permitExpirableSemaphore: ['a', 3],
  countDownLatch: ['a'],
  guardedValue: ['a'],
  spinLock: ['a', {}],
  stripedLock: ['a', 3],
  leader: ['a', {}],
  owner: [],
  list: ['*'],
  run: [nothing],
  job: ['a', { atLeastMs: 0, atMostMs: 1_000 }, nothing],
  computeOnce: ['a', nothing, { ttlMs: 1_000 }],
}

test.each(Object.entries(calls))(
  'faults B19: an argument too many is refused, and undefined is none: %s',
  async (name, good) => {
    const call = async (...args: readonly unknown[]): Promise<unknown> =>
      Reflect.apply(Reflect.get(holdfast, name), holdfast, args)
    await call(...good)
    await call(...good, undefined)
    await expect(call(...good, 5)).rejects.toThrow(InvalidArgumentError)
    await expect(call(...good, 5)).rejects.toThrow(`argument ${good.length + 1} of ${name}() is a number`)
  },
)

test('a multi-lock of locks that are no array says how to write it', () => {
  const [one, other] = [holdfast.lock('a'), holdfast.lock('b')]
  expect(() => Reflect.apply(holdfast.multiLock, holdfast, [one, other])).toThrow(
    "write multiLock([holdfast.lock('a'), holdfast.lock('b')])",
  )
})

test('faults B19: what returns a promise rejects, and what does not throws', async () => {
  const job: unknown = Reflect.apply(Reflect.get(holdfast, 'job'), holdfast, ['a', {}, nothing, 5])
  await expect(job).rejects.toThrow(InvalidArgumentError)
  expect(() => Reflect.apply(Reflect.get(holdfast, 'countDownLatch'), holdfast, ['a', 5])).toThrow(
    InvalidArgumentError,
  )
})
