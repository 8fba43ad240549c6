import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/errors/errors.js'
import { checkFunction, checkName } from '../../src/facade/checks.js'
import { checkHoldfastOptions } from '../../src/facade/holdfast-options.js'
import { checkAcquireOptions, checkOwner, checkUnlockOptions } from '../../src/facade/options.js'
import { Owners } from '../../src/identity/owner.js'

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
      lingerMs: 0,
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

  test.each([
    { watchdogMs: 50 },
    { commandTimeoutMs: 1 },
    { storeTimeoutMs: 0 },
    { maxHoldMs: 1 },
    { maxHoldMs: Number.POSITIVE_INFINITY },
    { maxWaiters: 1 },
    { warnAfterMs: Number.MAX_SAFE_INTEGER },
    { diagnostics: true },
  ])('accepted: %j', (options) => {
    expect(checkHoldfastOptions(options)).toMatchObject(options)
  })

  test.each([
    ['watchdogMs', { watchdogMs: 49 }],
    ['watchdogMs', { watchdogMs: Number.POSITIVE_INFINITY }],
    ['watchdogMs', { watchdogMs: Number.NaN }],
    ['watchdogMs', { watchdogMs: 100.5 }],
    ['watchdogMs', { watchdogMs: '100' }],
    ['commandTimeoutMs', { commandTimeoutMs: 0 }],
    ['storeTimeoutMs', { storeTimeoutMs: -1 }],
    ['maxHoldMs', { maxHoldMs: 0 }],
    ['maxWaiters', { maxWaiters: 0 }],
    ['warnAfterMs', { warnAfterMs: null }],
    ['diagnostics', { diagnostics: 1 }],
    ['options', { watchdogMS: 100 }],
    ['options', null],
    ['options', []],
    ['options', 'fast'],
  ])('refused: %s in %o', (argument, options) => {
    expect(unchecked(checkHoldfastOptions, options)).toBe(argument)
  })

  test('an unknown option is named, and what there is', () => {
    expect(() => Reflect.apply(checkHoldfastOptions, undefined, [{ retryDelay: 5 }])).toThrow(
      /"retryDelay".*watchdogMs/,
    )
  })
})

describe('options of an acquisition', () => {
  test.each([
    {},
    { waitMs: 0 },
    { waitMs: Number.POSITIVE_INFINITY },
    { leaseMs: 10 },
    { maxHoldMs: 1 },
    { signal: new AbortController().signal },
    { signal: AbortSignal.abort() },
    { onLost: 'reject' as const },
    { onLost: 'continue' as const },
    { owner: mine },
  ])('accepted: %j', (options) => {
    expect(checkAcquireOptions(options, owners)).toBe(options)
  })

  test.each([
    ['waitMs', { waitMs: -1 }],
    ['waitMs', { waitMs: 0.5 }],
    ['waitMs', { waitMs: Number.NEGATIVE_INFINITY }],
    ['waitMs', { waitMs: 5n }],
    ['leaseMs', { leaseMs: 9 }],
    ['leaseMs', { leaseMs: Number.POSITIVE_INFINITY }],
    ['maxHoldMs', { maxHoldMs: 0 }],
    ['signal', { signal: {} }],
    ['signal', { signal: null }],
    ['onLost', { onLost: 'ignore' }],
    ['owner', { owner: 'me' }],
    ['owner', { owner: new Owners().next() }],
    ['options', { timeout: 5 }],
    ['options', undefined],
    ['options', () => undefined],
  ])('refused: %s in %o', (argument, options) => {
    expect(unchecked((value: object) => checkAcquireOptions(value, owners), options)).toBe(argument)
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
  test.each(['a', ' ', '\0', '{}', '🔒', 'x'.repeat(64 * 1024)])('a name may be almost anything', (name) => {
    expect(checkName(name)).toBe(name)
  })

  test.each([
    '',
    '\ud800',
    'a\udc00b',
    'x'.repeat(512 * 1024 + 1),
    undefined,
    null,
    5,
    Symbol('name'),
    Buffer.from('name'),
  ])('a name may not be empty, endless, ill-formed, or no string', (name) => {
    expect(unchecked(checkName, name)).toBe('name')
  })

  test('an owner in a question may be of any client', () => {
    const foreign = new Owners().next()
    expect(checkOwner(foreign)).toBe(foreign)
    expect(unchecked(checkOwner, 'nobody')).toBe('owner')
    expect(unchecked(checkOwner, 7)).toBe('owner')
  })

  test('a body must be a function', () => {
    expect(complaint(() => checkFunction('body', () => undefined))).toBeUndefined()
    expect(complaint(() => checkFunction('body', Promise.resolve()))).toBe('body')
  })
})
