import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Outage } from '../../src/core/acquire/outage.js'
import { isTransient } from '../../src/port/failure.js'

describe('Outage', () => {
  test('lasts from the first failure to the last', () => {
    const outage = new Outage()
    expect(outage.lastedMs(100)).toBe(0)
    outage.failed('first', 100, 120)
    outage.failed('second', 150, 300)
    expect(outage.cause).toBe('second')
    expect(outage.lastedMs(300)).toBe(200)
  })

  test('ages while it is met, not by the clock: what nobody asks may be over', () => {
    const outage = new Outage()
    outage.failed('first', 0, 500)
    expect(outage.lastedMs(1_000)).toBe(500)
    expect(outage.lastedMs(60_000)).toBe(0)
    outage.failed('much later', 60_000, 60_100)
    expect(outage.lastedMs(60_100)).toBe(100)
  })

  test('carries on one that others have met, until that is forgotten', () => {
    const outage = new Outage(100)
    outage.failed('first', 1_000, 1_100)
    expect(outage.lastedMs(1_100)).toBe(1_000)
    expect(outage.since).toBe(100)
    outage.forget()
    expect(outage.since).toBeUndefined()
    outage.failed('again', 1_200, 1_300)
    expect(outage.lastedMs(1_300)).toBe(100)
  })

  test('the next try is later, and later still after more failures', () => {
    const outage = new Outage()
    outage.failed('first', 0, 0)
    expect(outage.retryAt(0)).toBeGreaterThanOrEqual(10)
    for (let count = 0; count < 10; count += 1) outage.failed('again', 0, 0)
    expect(outage.retryAt(0)).toBeGreaterThanOrEqual(250)
  })
})

test('isTransient: only what the store itself calls so', () => {
  expect(isTransient(new StoreError('timeout', 'acquire', { transient: true }))).toBe(true)
  expect(isTransient(new StoreError('script', 'acquire', { transient: false }))).toBe(false)
  expect(isTransient(new Error('transient'))).toBe(false)
  expect(isTransient(undefined)).toBe(false)
})
