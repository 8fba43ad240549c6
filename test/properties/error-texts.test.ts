import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoted } from '../../src/base/errors/holdfast-error.js'
import {
  ClosedError,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NoOwnerError,
  NotOwnerError,
  StoreError,
  TooManyWaitersError,
} from '../../src/index.js'
import { failureOf } from '../../src/stores/redis/connection/failure.js'
import { forAll } from './runs.js'

/** As much as fits a screen. */
const LONGEST_TEXT = 2_000

const longTexts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((it) => it.repeat(3_000))

/** Values whose text has no bound of its own. */
const longValues = fc.oneof(
  longTexts,
  longTexts.map((text) => Symbol(text)),
  fc.integer({ min: 5_000, max: 20_000 }).map((digits) => 10n ** BigInt(digits)),
  longTexts.map((text) => ({ [text]: text })),
  longTexts.map((text) => ({ constructor: { name: text } })),
  longTexts.map((text) => Object.defineProperty(() => undefined, 'name', { value: text })),
)

test('whatever the name of the lock: messages stay readable, and say the name as far as it goes', () =>
  forAll(longTexts, 100, (name) => {
    for (const error of [
      new LockTimeoutError(name, 5, { holder: 'client:1', remainingMs: 5 }),
      new NotOwnerError(name, 'client:1', 'client:2'),
      new LockLostError(name, 'client:1', 'lease-expired'),
      new NoOwnerError(name, 'unlock'),
      new ClosedError(name),
      new InvalidArgumentError('name', name, 'a shorter', { lockName: name, found: `is ${quoted(name)}` }),
      new TooManyWaitersError(name, 5),
      new StoreError('timeout', 'acquire', { lockName: name, transient: true }),
    ]) {
      expect(error.message.length).toBeLessThan(LONGEST_TEXT)
      expect(error.message).toContain(name.slice(0, 60))
      expect(error.lockName).toBe(name)
    }
  }))

test('faults A2: whatever the argument: the message that refuses it stays readable, and the value is nowhere in the error', () =>
  forAll(longValues, 300, (value) => {
    const error = new InvalidArgumentError('waitMs', value, 'a whole number')
    expect(error.message.length).toBeLessThan(LONGEST_TEXT)
    expect(inspect(error, { depth: Infinity, showHidden: true }).length).toBeLessThan(2 * LONGEST_TEXT)
  }))

test('whatever the server says: the message stays readable, its first 4000 characters are in the cause', () =>
  forAll(longTexts, 100, (text) => {
    const cause = Object.assign(new Error(text), { name: 'ReplyError' })
    const error = failureOf(cause, { command: 'acquire', lockName: text })
    expect(error.message.length).toBeLessThan(LONGEST_TEXT)
    const message = expect.stringContaining(text.slice(0, 3_900))
    expect(error.cause).toMatchObject({ name: 'ReplyError', message })
  }))
