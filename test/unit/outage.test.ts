import { describe, expect, test } from 'vitest'
import { isTransient, Outage, pauseMs } from '../../src/core/acquire/outage.js'
import { StoreError } from '../../src/errors/errors.js'

describe('pauseMs', () => {
  test('grows with each failure up to a bound, and is spread', () => {
    const longest = [0, 1, 2, 3, 4, 5, 6, 50, 5_000].map((failures) => pauseMs(failures, 1))
    expect(longest).toEqual([20, 20, 40, 80, 160, 320, 500, 500, 500])
    expect(pauseMs(3, 0)).toBe(40)
    for (let count = 0; count < 100; count += 1) {
      expect(pauseMs(3)).toBeGreaterThanOrEqual(40)
      expect(pauseMs(3)).toBeLessThanOrEqual(80)
    }
  })
})

describe('Outage', () => {
  test('lasts from the first failure to the next answer', () => {
    const outage = new Outage()
    expect(outage.on).toBe(false)
    expect(outage.lastedMs(100)).toBe(0)
    outage.failed('first', 100)
    outage.failed('second', 150)
    expect(outage.on).toBe(true)
    expect(outage.cause).toBe('second')
    expect(outage.lastedMs(300)).toBe(200)
    outage.answered()
    expect(outage.on).toBe(false)
    expect(outage.cause).toBeUndefined()
    outage.failed('again', 500)
    expect(outage.lastedMs(510)).toBe(10)
  })

  test('the next try is later, and later still after more failures', () => {
    const outage = new Outage()
    outage.failed('first', 0)
    expect(outage.retryAt(0)).toBeGreaterThanOrEqual(10)
    for (let count = 0; count < 10; count += 1) outage.failed('again', 0)
    expect(outage.retryAt(0)).toBeGreaterThanOrEqual(250)
  })
})

test('isTransient: only what the store itself calls so', () => {
  expect(isTransient(new StoreError('timeout', 'acquire', { transient: true }))).toBe(true)
  expect(isTransient(new StoreError('script', 'acquire', { transient: false }))).toBe(false)
  expect(isTransient(new Error('transient'))).toBe(false)
  expect(isTransient(undefined)).toBe(false)
})
