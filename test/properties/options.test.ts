import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from './runs.js'

/** Numbers at every edge, and what is no number. */
const values = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 49, 50, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, undefined),
  fc.nat(1_000),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  fc.string(),
  fc.boolean(),
  fc.constantFrom(
    null,
    Symbol('value'),
    { constructor: null },
    { constructor: { name: Symbol('name') } },
    Object.create(null),
  ),
  fc.constant(() => undefined),
  fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
)

const whole =
  (least: number, infinite = true) =>
  (value: unknown) =>
    value === undefined ||
    (infinite && value === Number.POSITIVE_INFINITY) ||
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= least)

const settings: Record<string, (value: unknown) => boolean> = {
  watchdogMs: whole(50, false),
  commandTimeoutMs: whole(1, false),
  storeTimeoutMs: whole(0, false),
  maxHoldMs: whole(1),
  maxWaiters: whole(1),
  warnAfterMs: whole(1),
  diagnostics: (value) => value === undefined || typeof value === 'boolean',
}

const terms: Record<string, (value: unknown) => boolean> = {
  waitMs: whole(0),
  leaseMs: whole(10, false),
  maxHoldMs: whole(1),
  onLost: (value) => value === undefined || value === 'reject' || value === 'continue',
  signal: (value) => value === undefined,
  owner: (value) => value === undefined,
}

/** Some of the options with some values, seldom one that does not exist. */
function combinations(
  known: Record<string, (value: unknown) => boolean>,
): fc.Arbitrary<Record<string, unknown>> {
  const good = fc.record(
    Object.fromEntries(Object.keys(known).map((key) => [key, fc.constantFrom(undefined, 50, 1_000)])),
    { requiredKeys: [] },
  )
  const any = fc.dictionary(fc.constantFrom(...Object.keys(known)), values, { maxKeys: 3 })
  const odd = fc.dictionary(fc.string({ minLength: 1 }), values, { maxKeys: 1 })
  return fc
    .tuple(good, any, fc.option(odd, { freq: 5, nil: {} }))
    .map(([one, other, strange]) => ({ ...one, ...other, ...strange }))
}

function acceptable(
  options: Record<string, unknown>,
  known: Record<string, (value: unknown) => boolean>,
): boolean {
  return Object.entries(options).every(
    ([key, value]) => Object.hasOwn(known, key) && known[key]?.(value) === true,
  )
}

test('every combination of settings is accepted, or refused as an InvalidArgumentError', async () => {
  await fc.assert(
    fc.asyncProperty(combinations(settings), async (options) => {
      let refused: unknown
      try {
        const holdfast: Holdfast = Reflect.construct(Holdfast, [new MemoryStore(new VirtualClock()), options])
        const hold = await holdfast.lock('lock').acquire()
        await hold.release()
        await holdfast.close()
      } catch (error) {
        refused = error
      }
      if (acceptable(options, settings)) expect(refused).toBeUndefined()
      else expect(refused).toBeInstanceOf(InvalidArgumentError)
    }),
    runsOr(1_000),
  )
})

test('every combination of options of a call is accepted, or refused as an InvalidArgumentError before anything is sent', async () => {
  const holdfast = new Holdfast(new MemoryStore(new VirtualClock()))
  const lock = holdfast.lock('lock')
  const calls = fc.constantFrom(
    'acquire' as const,
    'tryAcquire' as const,
    'withLock' as const,
    'lock' as const,
  )
  await fc.assert(
    fc.asyncProperty(calls, combinations(terms), async (method, options) => {
      let refused: unknown
      try {
        await holdfast.run(async () => {
          const args = method === 'withLock' ? [options, () => undefined] : [options]
          const granted: unknown = await Reflect.apply(lock[method], lock, args)
          if (granted instanceof Object && 'release' in granted && typeof granted.release === 'function')
            await granted.release()
          if (method === 'lock') await lock.unlock()
        })
      } catch (error) {
        refused = error
      }
      if (acceptable(options, terms)) expect(refused).toBeUndefined()
      else expect(refused).toBeInstanceOf(InvalidArgumentError)
      expect(await lock.isLocked()).toBe(false)
      expect(Object.values(holdfast.census).every((count) => count === 0)).toBe(true)
    }),
    runsOr(1_000),
  )
  await holdfast.close()
})

test('every name is accepted, or refused as an InvalidArgumentError', () => {
  const holdfast = new Holdfast(new MemoryStore())
  fc.assert(
    fc.property(
      fc.oneof(values, fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '🔒') })),
      (name) => {
        let refused: unknown
        try {
          Reflect.apply(holdfast.lock, holdfast, [name])
        } catch (error) {
          refused = error
        }
        if (typeof name === 'string' && name.length > 0 && name.isWellFormed())
          expect(refused).toBeUndefined()
        else expect(refused).toBeInstanceOf(InvalidArgumentError)
      },
    ),
    runsOr(1_000),
  )
})
