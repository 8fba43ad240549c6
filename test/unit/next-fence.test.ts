import { expect, test } from 'vitest'
import { nextFence } from '../../src/stores/rows/next-fence.js'

test('a token follows the clock, so that a replica that took over repeats none, and is greater than the last whatever the clock says', () => {
  expect(nextFence(undefined, 100n)).toBe(100n)
  expect(nextFence(40n, 100n)).toBe(100n)
  expect(nextFence(100n, 100n)).toBe(101n)
  expect(nextFence(170n, 100n)).toBe(171n)
})
