import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as errors from '../../src/base/errors/errors.js'
import { NoTransactionError } from '../../src/base/errors/no-transaction-error.js'
import { ShortLeaseError } from '../../src/base/errors/short-lease-error.js'
import { UnstorableValueError } from '../../src/base/errors/unstorable-value-error.js'
import {
  DeadlockError,
  HoldfastError,
  LockUpgradeError,
  NotReentrantError,
  PermitNotHeldError,
  StaleFenceError,
  StaleSequencerError,
} from '../../src/index.js'

type Errors = typeof errors

const NAME = 'invoice:42'

/** What could move a cursor, colour a terminal, or pass itself off as another line of a log. */
const HOSTILE = 'a\u001b[31m\u202e\nERROR forged\u0000\u2028\u009b2J"b'

/** Any program can write such an owner into a lock. */
const HOSTILE_OWNER = `${HOSTILE}:1` as const

/** One of each, made by one copy of the package. */
function oneOfEach(of: Errors, lockName = NAME) {
  return [
    [new of.LockTimeoutError(lockName, 500, { holder: 'client:1', remainingMs: 200 }), 'LOCK_TIMEOUT'],
    [new of.NotOwnerError(lockName, 'client:1', 'client:2'), 'NOT_OWNER'],
    [new of.LockLostError(lockName, 'client:1', 'lease-expired'), 'LOCK_LOST'],
    [new of.NoOwnerError(lockName, 'unlock'), 'NO_OWNER'],
    [new of.ClosedError(lockName), 'CLOSED'],
    [new of.InvalidArgumentError('waitMs', Number.NaN, 'a number', { lockName }), 'INVALID_ARGUMENT'],
    [new of.TooManyWaitersError(lockName, 3), 'TOO_MANY_WAITERS'],
    [new of.StoreError('timeout', 'acquire', { lockName, transient: true }), 'STORE_ERROR'],
  ] as const
}

describe('errors', () => {
  test('an answer that comes after its lease is a StoreError to callers, who do not know its class', () => {
    const known = { name: 'StoreError', code: 'STORE_ERROR', reason: 'timeout', transient: true }
    expect(new ShortLeaseError('invoice:42', 2_000)).toMatchObject(known)
    const other = new errors.StoreError('timeout', 'acquire', { transient: true })
    expect(other).not.toBeInstanceOf(ShortLeaseError)
  })

  test.each(oneOfEach(errors))('%s: a stable code, the lock’s name, a name of its own', (error, code) => {
    const { name } = error.constructor
    expect(error).toBeInstanceOf(Error)
    expect(error).toBeInstanceOf(HoldfastError)
    expect(error).toMatchObject({ code, lockName: NAME, name })
    expect(error.stack).toContain(name)
    expect(Object.keys(error)).not.toContain('Symbol(holdfast.error.kinds)')
    if (code !== 'INVALID_ARGUMENT') expect(error.message).toContain(`"${NAME}"`)
  })

  test.each([
    ...oneOfEach(errors, HOSTILE).map(([error]) => error),
    new errors.LockTimeoutError(HOSTILE, 500, { holder: HOSTILE_OWNER, remainingMs: 200 }),
    new errors.NotOwnerError(HOSTILE, HOSTILE_OWNER, HOSTILE_OWNER),
    new errors.InvalidArgumentError('name', HOSTILE, 'text'),
    new DeadlockError(HOSTILE, undefined, [
      {
        owner: HOSTILE_OWNER,
        label: HOSTILE,
        holds: { kind: 'lock', name: HOSTILE },
        waitsFor: { kind: 'lock', name: HOSTILE },
        waitsSince: 0,
        takenAt: undefined,
        waitsAt: undefined,
      },
    ]),
    new NoTransactionError(HOSTILE),
    new PermitNotHeldError(HOSTILE, [HOSTILE]),
    new StaleSequencerError(HOSTILE, 1n, 2n),
    new StaleFenceError(HOSTILE, 1n),
    new LockUpgradeError(HOSTILE, HOSTILE_OWNER),
    new NotReentrantError(HOSTILE, HOSTILE_OWNER),
    new UnstorableValueError(HOSTILE, `$.${HOSTILE}`, 'a Date'),
  ])('$name: nothing in a name steers a terminal or forges a line', (error) => {
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  test('messages name the remedy', () => {
    const message = (index: number): string => oneOfEach(errors)[index]?.[0].message ?? ''
    expect(message(0)).toMatch(/500 ms.*client:1.*200 ms.*waitMs.*tryAcquire/)
    expect(message(1)).toMatch(/client:1 does not hold.*client:2/)
    expect(message(2)).toMatch(/lease ran out.*hold\.signal.*fencing/)
    expect(message(3)).toMatch(/unlock\(\).*holdfast\.run.*withLock\(\)/)
    expect(message(4)).toMatch(/new Holdfast/)
    expect(message(5)).toMatch(/waitMs is NaN; accepted: a number/)
    expect(message(6)).toMatch(/3 waiters.*maxWaiters/)
  })

  test('L6: a lost lock is a not-owner error; the other way round it is not', () => {
    expect(new errors.LockLostError(NAME, 'client:1', 'not-in-store')).toBeInstanceOf(errors.NotOwnerError)
    expect(new errors.NotOwnerError(NAME, 'client:1')).not.toBeInstanceOf(errors.LockLostError)
  })

  test('what the error underneath tells passes through as cause; without one there is no such property', () => {
    const cause = Object.assign(new TypeError('gone'), { code: 'ECONNREFUSED', options: { password: 'x' } })
    for (const error of [
      new errors.StoreError('unreachable', 'acquire', { cause, transient: true }),
      new errors.LockTimeoutError(NAME, 5, {}, cause),
      new errors.LockLostError(NAME, 'client:1', 'lease-expired', cause),
    ]) {
      expect(error.cause).toMatchObject({ name: 'TypeError', message: 'gone', code: 'ECONNREFUSED' })
      expect(error.cause).not.toHaveProperty('options')
    }
    const store = new errors.StoreError('unreachable', 'acquire', { transient: true })
    expect(new errors.LockTimeoutError(NAME, 5, {}, store).cause).toBe(store)
    expect('cause' in new errors.ClosedError()).toBe(false)
  })

  test.each(['Connection is closed.', 'on @user_script:74.', 'no answer', ''])(
    'the text of a cause ends with one full stop: %j',
    (text) => {
      const hint = 'Choose another name.'
      const cause = new Error(text)
      const failure = new errors.StoreError('unreachable', 'GET', { cause, transient: true, hint })
      const timeouts = (['unreachable', 'timeout', 'read-only'] as const).map((reason) => {
        const trouble = new errors.StoreError(reason, 'GET', { cause, transient: true })
        return new errors.LockTimeoutError(NAME, 5, {}, trouble)
      })
      for (const { message } of [failure, ...timeouts]) {
        expect(message).not.toMatch(/\.\.|: \./)
        expect(message).toContain(text)
      }
    },
  )

  test.each([
    [
      'lock',
      /^Lock "invoice:42" was not acquired within 5 ms\. Wait longer \(waitMs\), or use tryAcquire\(\)/,
    ],
    [
      'permits',
      /^Permits of "invoice:42" were not acquired within 5 ms; a lease ends in 9 ms\. .*tryAcquire\(\)/,
    ],
    ['await', /^Latch "invoice:42" did not open within 5 ms\. .*tryAwait\(\)/],
    ['value', /^Lock "invoice:42" was not acquired within 5 ms\. Wait longer \(waitMs\)\.$/],
  ] as const)('a wait that ends names what was wanted: %s', (wants, text) => {
    const seen = wants === 'permits' ? { remainingMs: 9 } : {}
    expect(new errors.LockTimeoutError(NAME, 5, seen, undefined, wants).message).toMatch(text)
  })

  test('a subclass of the user’s own is told apart by its class, as usual', () => {
    class MyTimeout extends errors.LockTimeoutError {}
    const mine = new MyTimeout(NAME, 5, {})
    expect(mine).toBeInstanceOf(MyTimeout)
    expect(mine).toBeInstanceOf(errors.LockTimeoutError)
    expect(new errors.LockTimeoutError(NAME, 5, {})).not.toBeInstanceOf(MyTimeout)
  })

  test.each([null, undefined, 'LOCK_LOST', 42, {}, new Error('LOCK_LOST'), { code: 'LOCK_LOST' }])(
    '%j is none of them',
    (value) => {
      expect(value instanceof errors.LockLostError).toBe(false)
      expect(value instanceof HoldfastError).toBe(false)
    },
  )
})

describe('errors of another copy of the package', () => {
  let copy: Errors

  beforeAll(async () => {
    vi.resetModules()
    copy = await import('../../src/base/errors/errors.js')
  })

  test('instanceof works across copies, for each kind and for its kinds only', () => {
    expect(copy.LockLostError).not.toBe(errors.LockLostError)
    const mine = oneOfEach(errors)
    const classes = mine.map(([error]) => error.constructor)
    for (const [index, [error]] of oneOfEach(copy).entries()) {
      expect(error instanceof HoldfastError).toBe(true)
      for (const each of classes) expect(error instanceof each).toBe(mine[index]?.[0] instanceof each)
    }
  })
})
