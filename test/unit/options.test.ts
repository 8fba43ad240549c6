import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkFunction } from '../../src/base/checks/checks.js'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { typeText } from '../../src/base/errors/found.js'
import { Owners } from '../../src/base/identity/owner.js'
import { checkHoldfastOptions } from '../../src/client/holdfast-options.js'
import { Holdfast } from '../../src/index.js'
import { Service } from '../../src/integrations/service/service.js'
import { checkAcquireOptions, checkOwner, checkUnlockOptions } from '../../src/kinds/options/options.js'
import { checkPermitsOptions } from '../../src/kinds/options/permits-options.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

const owners = new Owners()
const mine = owners.next()

/** What the check says about the value: nothing, or which argument is wrong. */
function complaint(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.argument
    throw error
  }
}

/** Checks a value the compiler would not let through. */
function unchecked<Value>(check: (value: Value) => unknown, value: unknown): string | undefined {
  return complaint(() => Reflect.apply(check, undefined, [value, owners]))
}

describe('options of a Holdfast', () => {
  test('the defaults', () => {
    expect(checkHoldfastOptions({})).toEqual({
      label: `${hostname()}:${process.pid}`,
      watchdogMs: 30_000,
      quarantineMs: 0,
      checkReplicas: 0,
      replicasTimeoutMs: 1_000,
      commandTimeoutMs: 3_000,
      storeTimeoutMs: 10_000,
      maxHoldMs: Number.POSITIVE_INFINITY,
      maxWaiters: Number.POSITIVE_INFINITY,
      warnAfterMs: 10_000,
      maxHandOvers: 256,
      handOverSliceMs: 25,
      lingerMs: 'auto',
      diagnostics: false,
      watchdogThread: false,
      onDeadlock: 'report',
      maxBlockedMs: 300_000,
    })
  })

  test('undefined is the default, not an error', () => {
    expect(checkHoldfastOptions(JSON.parse('{}'))).toEqual(checkHoldfastOptions({}))
    expect(unchecked(checkHoldfastOptions, { watchdogMs: undefined, maxWaiters: undefined })).toBeUndefined()
  })

  test('an unknown option is named, and what there is', () => {
    expect(() => Reflect.apply(checkHoldfastOptions, undefined, [{ retryDelay: 5 }])).toThrow(
      /"retryDelay".*watchdogMs/,
    )
  })
})

/** An option whose value is a good one until it has been read so often. */
function turning(option: string, values: readonly unknown[]): object {
  let read = 0
  return Object.defineProperty({}, option, {
    enumerable: true,
    get: () => values[Math.min(read++, values.length - 1)],
  })
}

describe('options of an acquisition', () => {
  test.each([
    ['waitMs', 100, Number.NaN],
    ['leaseMs', 1_000, -5],
    ['maxHoldMs', 1_000, Number.NaN],
    ['signal', undefined, {}],
    ['onLost', 'continue', 'bad'],
    ['owner', mine, 'nobody'],
  ])('%s is read once: what was checked is what counts', (option, good, bad) => {
    const checked = Reflect.apply(checkAcquireOptions, undefined, [turning(option, [good, bad]), owners])
    expect(Reflect.get(checked, option)).toBe(good)
    expect(Reflect.get(checked, option)).toBe(good)
  })

  test('options of a client are read once', () => {
    const watchdogMs = checkHoldfastOptions(turning('watchdogMs', [5_000, -1])).watchdogMs
    expect(watchdogMs).toBe(5_000)
  })

  test('options that an object has from its class or its prototype count', () => {
    class Patience {
      get waitMs() {
        return 50
      }
    }
    expect(checkAcquireOptions(new Patience(), owners)).toEqual({ waitMs: 50 })
    expect(complaint(() => checkAcquireOptions(Object.create({ waitMs: -1 }), owners))).toBe('waitMs')
    expect(checkHoldfastOptions(Object.create({ watchdogMs: 5_000 })).watchdogMs).toBe(5_000)
    expect(checkPermitsOptions(new Patience())).toEqual({ lock: { waitMs: 50 }, permits: 1 })
  })

  test('a signal in the place of options is refused: it would be ignored, and the wait would have no end', () => {
    const call = (): unknown =>
      Reflect.apply(checkAcquireOptions, undefined, [AbortSignal.timeout(1), owners])
    expect(call).toThrow('options is an object of AbortSignal; accepted: an object, as in { waitMs: … }')
  })

  test('a signal of another realm, or a polyfill, is one by its shape', () => {
    const nothing = (): void => undefined
    const shaped = { aborted: false, addEventListener: nothing, removeEventListener: nothing }
    expect(
      unchecked((value: object) => checkAcquireOptions(value, owners), { signal: shaped }),
    ).toBeUndefined()
  })

  test('unlock takes an owner and nothing else', () => {
    expect(complaint(() => checkUnlockOptions({ owner: mine }, owners))).toBeUndefined()
    expect(unchecked((value: object) => checkUnlockOptions(value, owners), { waitMs: 5 })).toBe('options')
  })
})

describe('names, owners, bodies', () => {
  test('an owner in a question may be of any client', () => {
    const foreign = new Owners().next()
    expect(checkOwner(foreign)).toBe(foreign)
    expect(unchecked(checkOwner, 'nobody')).toBe('owner')
    expect(unchecked(checkOwner, 7)).toBe('owner')
  })

  test('what was found tells an empty array from one with elements: "an array; accepted: an array" helps nobody', () => {
    const holdfast = new Holdfast(new MemoryStore())
    expect(() => holdfast.multiLock([])).toThrow('locks is an empty array; accepted')
    const proxy = new Proxy([1], {
      get: () => {
        throw new Error('no reading')
      },
    })
    expect(typeText(proxy)).toBe('an array')
  })

  test('a body must be a function', () => {
    expect(complaint(() => checkFunction('body', () => undefined))).toBeUndefined()
    expect(complaint(() => checkFunction('body', Promise.resolve()))).toBe('body')
  })
})

test.each(['redis', 7, null, undefined])(
  'faults A2: the settings of a service that are %j are refused by their type',
  (options) => {
    const log = { warn: () => undefined, error: () => undefined }
    const refusal = {
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('an object, as in { store: redis }'),
    }
    expect(() => Reflect.construct(Service, [options, log])).toThrow(expect.objectContaining(refusal))
  },
)
