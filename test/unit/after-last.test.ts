import { expect, test } from 'vitest'
import { type AfterLast, afterLast, type LastHold } from '../../src/core/tenure/after-last.js'

const NOBODY_WAITS: LastHold = {
  keptMs: 0,
  next: undefined,
  tied: false,
  spent: false,
  canPassInMemory: false,
  lingersUntil: undefined,
}
const WANTED: Partial<LastHold> = { next: {} }
const IN_MEMORY: Partial<LastHold> = { ...WANTED, canPassInMemory: true }

const rows: ReadonlyArray<readonly [string, Partial<LastHold>, AfterLast]> = [
  ['nobody waits', {}, 'release'],
  ['a call of the process waits', WANTED, 'passByCommand'],
  ['a call waits that changes nothing for the store', IN_MEMORY, 'pass'],
  ['it is the turn of other processes', { ...IN_MEMORY, spent: true }, 'release'],
  ['it may be tied to a transaction', { ...IN_MEMORY, tied: true }, 'release'],
  ['it may linger', { lingersUntil: 5 }, 'linger'],
  ['it may linger, and a call waits', { ...IN_MEMORY, lingersUntil: 5 }, 'pass'],
  ['it has to stay taken', { keptMs: 1 }, 'keepTaken'],
  ['it has to stay taken, and a call waits', { ...IN_MEMORY, keptMs: 1 }, 'keepTaken'],
  ['it has to stay taken, and may linger', { keptMs: 1, lingersUntil: 5 }, 'keepTaken'],
]

test.each(rows)('after the last hold: %s', (_, known, becomes) => {
  expect(afterLast({ ...NOBODY_WAITS, ...known })).toBe(becomes)
})
