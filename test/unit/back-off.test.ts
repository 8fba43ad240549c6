import { expect, test } from 'vitest'
import { BackOff, retryPauseMs } from '../../src/base/time/back-off.js'
import { InvalidArgumentError } from '../../src/index.js'
import { checkSpinOptions } from '../../src/kinds/options/spin-options.js'

const backOff = new BackOff({ firstPauseMs: 10, longestPauseMs: 70, factor: 2 })

test('pauses grow with each attempt in vain, up to the longest', () => {
  const longest = [1, 2, 3, 4, 5, 1_000].map((attempts) => backOff.pauseMs(attempts, 1))
  expect(longest).toEqual([10, 20, 40, 70, 70, 70])
})

test('each is drawn from the upper half of its range', () => {
  expect([0, 0.5, 1].map((random) => backOff.pauseMs(3, random))).toEqual([20, 30, 40])
  expect(backOff.pauseMs(1_000, 0)).toBe(35)
})

test('before the first attempt it is the first pause', () => expect(backOff.pauseMs(0, 1)).toBe(10))

test('a factor of 1 keeps them even', () => {
  const even = new BackOff({ firstPauseMs: 10, longestPauseMs: 70, factor: 1 })
  expect([1, 2, 50].map((attempts) => even.pauseMs(attempts, 1))).toEqual([10, 10, 10])
})

test('the pause before a retry grows with each failure up to a bound, and is spread', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 50, 5_000].map((failures) => retryPauseMs(failures, 1))
  expect(longest).toEqual([20, 20, 40, 80, 160, 320, 500, 500, 500])
  expect(retryPauseMs(3, 0)).toBe(40)
  for (let count = 0; count < 100; count += 1) {
    expect(retryPauseMs(3)).toBeGreaterThanOrEqual(40)
    expect(retryPauseMs(3)).toBeLessThanOrEqual(80)
  }
})

test('a spin lock’s pauses: 1, 2, 4 … 128 ms where nothing is asked for; unusable numbers are refused before anything is sent', () => {
  const polls = checkSpinOptions({})
  const longest = Array.from({ length: 10 }, (_, index) => polls.pauseMs(index + 1, 1))
  expect(longest).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 128, 128])
  for (const options of [
    { firstPauseMs: 1.5 },
    { firstPauseMs: 100, longestPauseMs: 99 },
    { longestPauseMs: Number.POSITIVE_INFINITY },
    { factor: 0.9 },
    { factor: Number.NaN },
  ])
    expect(() => checkSpinOptions(options)).toThrow(InvalidArgumentError)
})
