/** What people write who come from another lock, as JavaScript lets them, and the line that they are told to write instead. */
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

const holdfast = new Holdfast(new MemoryStore())
const lock = holdfast.lock('invoice:42')
const body = (): never => expect.unreachable()

/** A call by the name of its method, with what the types forbid. */
async function refusalOf(target: object, method: string, ...params: unknown[]): Promise<string> {
  const found: unknown = Reflect.get(target, method)
  if (typeof found !== 'function') throw new Error(`there is no ${method}`)
  // Some throw, some reject.
  const call = async (): Promise<unknown> => await Reflect.apply(found, target, params)
  const error = await rejectionOf(call())
  expect(error).toBeInstanceOf(InvalidArgumentError)
  expect(holdfast.census).toMatchObject({ calls: 0, tenures: 0 })
  return String(error)
}

describe('options of other libraries', () => {
  test.each([
    ['ttl', 'in place of ttl write { leaseMs: … }'],
    ['lockTimeout', 'in place of lockTimeout write { leaseMs: … }'],
    ['retryCount', 'in place of retryCount write { waitMs: … }'],
    ['retryDelay', 'in place of retryDelay write { waitMs: … }'],
    ['timeout', 'in place of timeout write { waitMs: … }'],
    ['identifier', 'in place of identifier write { owner: … }'],
    ['refreshInterval', 'in place of refreshInterval write new Holdfast(client, { watchdogMs: … })'],
    ['driftFactor', 'leave driftFactor out'],
    ['onLockLost', "holdfast.on('lost', …)"],
    ['reentrant', 'in place of reentrant write holdfast.lock(name, { reentrant: … })'],
  ])('of a call: %s', async (option, line) => {
    for (const [method, ...more] of [['acquire'], ['tryAcquire'], ['withLock', body], ['lock']] as const) {
      const told = await refusalOf(lock, method, { [option]: 5_000 }, ...more)
      expect(told).toContain(line)
      expect(told).toContain('waitMs, leaseMs')
    }
  })

  test.each([
    ['retryCount', 'write lock.acquire({ waitMs: … })'],
    ['ttl', 'write lock.acquire({ leaseMs: … })'],
    ['lockWatchdogTimeout', 'write { watchdogMs: … }'],
    ['driftFactor', 'leave driftFactor out'],
    ['prefix', 'give the Redis client a keyPrefix'],
    ['keyPrefix', 'give the Redis client a keyPrefix'],
    ['reentrant', 'write holdfast.lock(name, { reentrant: … })'],
    ['drainMs', 'write holdfast.close({ drainMs: … })'],
  ])('of a client: %s', (option, line) => {
    expect(() => Reflect.construct(Holdfast, [new MemoryStore(), { [option]: 5 }])).toThrow(line)
  })

  test.each([
    ['job', 'lockAtMostFor', 'write { atMostMs: … }', (options: object) => ['a', options, body]],
    ['job', 'lockAtLeastFor', 'write { atLeastMs: … }', (options: object) => ['a', options, body]],
    ['job', 'leaseMs', 'write { atMostMs: … }', (options: object) => ['a', options, body]],
    ['computeOnce', 'ttl', 'write { ttlMs: … }', (options: object) => ['a', body, options]],
  ] as const)('of %s: %s', async (method, option, line, params) => {
    expect(await refusalOf(holdfast, method, ...params({ [option]: 5 }))).toContain(line)
  })

  test.each([
    ['job', ['a', { waitMs: 5 }, body]],
    ['leader', ['a', { leaseMs: 5 }]],
  ] as const)('%s: who knows no such option is not sent to another lock', async (method, params) =>
    expect(await refusalOf(holdfast, method, ...params)).not.toContain('lock.acquire'),
  )

  test('the nearest option of the call comes first', () =>
    expect(() => Reflect.apply(etcd, undefined, [{ hosts: 'a:1', keyPrefix: 'x' }])).toThrow(
      'in place of keyPrefix write { prefix: … }',
    ))

  test.each(['constructor', 'toString', '__proto__x', 'tt'])(
    'a name that nobody knows has no advice: %s',
    async (option) => expect(await refusalOf(lock, 'acquire', { [option]: 5 })).not.toContain('in place of'),
  )
})

describe('shapes of calls of other libraries', () => {
  test('an array of names', async () => {
    for (const kind of ['lock', 'fairLock', 'fencedLock', 'readWriteLock', 'semaphore'])
      expect(await refusalOf(holdfast, kind, ['a', 'b'])).toContain('holdfast.multiLock([lockA, lockB])')
  })

  test('a number for a lease', async () => {
    expect(await refusalOf(lock, 'acquire', 5_000)).toContain('write { leaseMs: … }')
    expect(await refusalOf(lock, 'withLock', 5_000, body)).toContain('write { leaseMs: … }')
  })

  test.each([
    ['using', 'holdfast.lock(name).withLock('],
    ['withLock', 'holdfast.lock(name).withLock('],
    ['acquire', 'holdfast.lock(name).acquire()'],
    ['getLock', 'holdfast.lock(name)'],
    ['createLock', 'holdfast.lock(name)'],
    ['extend', 'hold.extend(leaseMs)'],
    ['unlock', 'hold.release()'],
    ['release', 'hold.release()'],
    ['quit', 'holdfast.close()'],
    ['disconnect', 'holdfast.close()'],
  ])('holdfast.%s()', async (method, line) => {
    expect(await refusalOf(holdfast, method, ['a'], 5_000, body)).toContain(line)
    expect(Object.keys(holdfast)).not.toContain(method)
  })

  test.each([
    ['release', 'hold.release()'],
    ['extend', 'hold.extend(leaseMs)'],
    ['using', 'lock.withLock('],
    ['runExclusive', 'lock.withLock('],
    ['run', 'lock.withLock('],
  ])('lock.%s()', async (method, line) => expect(await refusalOf(lock, method, 5_000)).toContain(line))
})
