import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkFunction } from '../../src/base/checks/checks.js'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { Owners } from '../../src/base/identity/owner.js'
import { checkHoldfastOptions } from '../../src/client/holdfast-options.js'
import { checkAcquireOptions, checkOwner, checkUnlockOptions } from '../../src/kinds/options/options.js'

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

  test('an unknown option is named, and what there is', () => {
    expect(() => Reflect.apply(checkHoldfastOptions, undefined, [{ retryDelay: 5 }])).toThrow(
      /"retryDelay".*watchdogMs/,
    )
  })
})

describe('options of an acquisition', () => {
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

  test('a body must be a function', () => {
    expect(complaint(() => checkFunction('body', () => undefined))).toBeUndefined()
    expect(complaint(() => checkFunction('body', Promise.resolve()))).toBe('body')
  })
})
