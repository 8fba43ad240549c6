import { describe, expect, test } from 'vitest'
import { LockLostError, StoreError } from '../../base/errors/errors.js'
import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import { Holdfast, InvalidArgumentError } from '../../index.js'
import {
  BAD_NAMES,
  BAD_SETTINGS,
  badAcquireOptions,
  badOwners,
  MALFORMED_OWNERS,
  NO_FUNCTIONS,
  NO_OPTIONS,
} from '../bad-values.js'
import { sumOf } from '../idle.js'
import { rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { UntouchedStore } from '../untouched-store.js'

/** One public call with something it must refuse: what it was given, and which argument it must name. */
interface BadCall {
  readonly on: object
  readonly method: string
  readonly args: readonly unknown[]
  readonly argument: string
  readonly value: unknown
}

/** Bad input is refused before anything is sent, with an error that says which argument, of which type, and what is accepted. */
export function validationCases(place: Place): void {
  describe('bad input', () => {
    test('every option of every call that acquires', async () => {
      const holdfast = place.holdfast()
      await allRefused(acquiringCalls(holdfast, place.holdfast(), place.lockName()))
      expect(sumOf(holdfast)).toBe(0)
    })

    test('every other call', async () => {
      const holdfast = place.holdfast()
      await allRefused(otherCalls(holdfast, place.holdfast(), place.lockName()))
      expect(sumOf(holdfast)).toBe(0)
    })

    test('hold.run without a function', async () => {
      await using hold = await place.holdfast().lock(place.lockName()).acquire()
      for (const value of NO_FUNCTIONS) {
        await refused({ on: hold, method: 'run', args: [value], argument: 'body', value })
      }
      hold.assertHeld()
    })

    test('nothing of all this is sent', async () => {
      const store = new UntouchedStore()
      const holdfast = new Holdfast(store)
      await allRefused(acquiringCalls(holdfast, place.holdfast(), 'untouched'))
      await allRefused(otherCalls(holdfast, place.holdfast(), 'untouched'))
      expect(store.asked).toEqual([])
      // The detector itself must be able to detect.
      await rejectionOf(holdfast.lock('untouched').isLocked())
      expect(store.asked).toEqual(['inspect'])
      await holdfast.close()
    })

    test('settings of a client, and what it is made from', async () => {
      for (const [argument, values] of Object.entries(BAD_SETTINGS)) {
        for (const value of values)
          refusedAtOnce(() => place.holdfast({ [argument]: value }), argument, value)
      }
      refusedAtOnce(() => Reflect.apply(place.holdfast, place, [{ leaseMs: 5 }]), 'options', 'leaseMs')
      for (const value of NO_OPTIONS) {
        refusedAtOnce(() => Reflect.apply(place.holdfast, place, [value]), 'options', value)
      }
      for (const value of [undefined, null, 1, 'redis://127.0.0.1', {}, [], () => 1]) {
        refusedAtOnce(() => Reflect.construct(Holdfast, [value]), 'clientOrStore', value)
      }
    })

    test('names that are none', () => {
      const holdfast = place.holdfast()
      for (const value of BAD_NAMES) {
        refusedAtOnce(() => Reflect.apply(holdfast.lock, holdfast, [value]), 'name', value)
      }
    })

    test('the least and the greatest of each are accepted, and so is an option that is undefined', async () => {
      const most = Number.MAX_SAFE_INTEGER
      for (const settings of [
        {
          watchdogMs: 50,
          commandTimeoutMs: 5_000,
          storeTimeoutMs: 0,
          maxHoldMs: 1,
          maxWaiters: 1,
          warnAfterMs: 1,
        },
        { watchdogMs: most, storeTimeoutMs: most, commandTimeoutMs: most, maxHoldMs: most, maxWaiters: most },
        { maxHoldMs: Infinity, maxWaiters: Infinity, warnAfterMs: Infinity, diagnostics: true },
      ]) {
        const lock = place.holdfast(settings).lock(place.lockName())
        // To connect may take longer than the shortest lease.
        await lock.isLocked()
        // On a busy machine the answers may, too: that is told, and is no refusal of the setting.
        const inside = (): Promise<unknown> =>
          lock
            .withLock(() => 'in')
            .catch((error: unknown) => {
              const late = error instanceof StoreError && error.transient
              if (!(late || error instanceof ShortLeaseError || error instanceof LockLostError)) throw error
            })
        expect(await place.eventually(inside)).toBe('in')
      }
      const holdfast = place.holdfast()
      const { signal } = new AbortController()
      const nothing = Object.fromEntries(
        Object.keys(badAcquireOptions(holdfast, holdfast)).map((key) => [key, undefined]),
      )
      for (const options of [
        nothing,
        { leaseMs: most, waitMs: most, maxHoldMs: most, signal },
        { waitMs: Infinity, maxHoldMs: Infinity, owner: holdfast.owner(), onLost: 'continue' as const },
      ]) {
        expect(await holdfast.lock(place.lockName()).withLock(options, () => 'in')).toBe('in')
      }
    })
  })
}

function acquiringCalls(holdfast: Holdfast, other: Holdfast, name: string): BadCall[] {
  const lock = holdfast.lock(name)
  return ['acquire', 'tryAcquire', 'lock', 'tryLock', 'withLock'].flatMap((method) => {
    const withArgs = (options: unknown): readonly unknown[] =>
      method === 'withLock' ? [options, () => expect.unreachable()] : [options]
    const bad = Object.entries(badAcquireOptions(holdfast, other)).flatMap(([argument, values]) =>
      values.map((value) => ({ args: withArgs({ [argument]: value }), argument, value })),
    )
    const none = NO_OPTIONS.map((value) => ({ args: withArgs(value), argument: 'options', value }))
    const unknown = ['waitMS', 'retries', 'ttl'].map((key) => ({
      args: withArgs({ waitMs: 5, [key]: 1 }),
      argument: 'options',
      value: key,
    }))
    return [...bad, ...none, ...unknown].map((each) => ({ on: lock, method, ...each }))
  })
}

function otherCalls(holdfast: Holdfast, other: Holdfast, name: string): BadCall[] {
  const lock = holdfast.lock(name)
  const afterTheBody = { waitMs: 5 }
  const call = (on: object, method: string, argument: string, args: readonly unknown[], value: unknown) => ({
    on,
    method,
    args,
    argument,
    value,
  })
  return [
    ...NO_FUNCTIONS.map((value) => call(holdfast, 'run', 'body', [value], value)),
    ...NO_FUNCTIONS.map((value) => call(lock, 'withLock', 'body', [{}, value], value)),
    call(lock, 'withLock', 'options', [() => expect.unreachable(), afterTheBody], afterTheBody),
    ...badOwners(holdfast, other).map((owner) => call(lock, 'unlock', 'owner', [{ owner }], owner)),
    ...NO_OPTIONS.map((value) => call(lock, 'unlock', 'options', [value], value)),
    call(lock, 'unlock', 'options', [{ waitMs: 5 }], 'waitMs'),
    ...[...MALFORMED_OWNERS, null, {}].flatMap((value) =>
      ['isHeld', 'holdCount'].map((method) => call(lock, method, 'owner', [value], value)),
    ),
  ]
}

async function allRefused(calls: readonly BadCall[]): Promise<void> {
  expect(calls.length).toBeGreaterThan(20)
  for (const call of calls) await refused(call)
}

async function refused({ on, method, args, argument, value }: BadCall): Promise<void> {
  const what = `${method}(${args.map((arg) => show(arg)).join(', ')})`
  const started: unknown = Reflect.apply(Reflect.get(on, method), on, args)
  expect(started, what).toBeInstanceOf(Promise)
  checkRefusal(await rejectionOf(Promise.resolve(started)), argument, value, what)
}

function refusedAtOnce(call: () => unknown, argument: string, value: unknown): void {
  let error: unknown
  try {
    call()
  } catch (thrown) {
    error = thrown
  }
  checkRefusal(error, argument, value, `${argument}: ${show(value)}`)
}

function checkRefusal(error: unknown, argument: string, value: unknown, what: string): void {
  expect(error, what).toBeInstanceOf(InvalidArgumentError)
  expect(error, what).toMatchObject({ code: 'INVALID_ARGUMENT', argument })
  expect(String(error), what).toMatch(
    new RegExp(`^InvalidArgumentError: ${argument} (is|has) .+; accepted: .+\\.$`, 's'),
  )
  if (typeof value === 'string' && value.length > 6 && argument !== 'options')
    expect(String(error), `${what} keeps its value to itself`).not.toContain(value)
  expect(String(error).length, what).toBeLessThan(500)
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value === 'object' && value !== null ? Object.keys(value).join() : String(value)
}
