import { describe, expect, test } from 'vitest'
import { LEAST_LEASE_MS, leaseDeadline } from '../../src/port/lease.js'

describe('leaseDeadline', () => {
  test.each([LEAST_LEASE_MS, 50, 1_000, 30_000, 86_400_000])(
    'L3: of %i ms: earlier than the store’s, by a margin for clocks that run apart',
    (leaseMs) => {
      const deadline = leaseDeadline(5_000, leaseMs)
      // Half a per cent either way between two machines, and the store rounds to whole milliseconds.
      expect((deadline - 5_000) * 1.005).toBeLessThan(leaseMs * 0.995 - 1)
      expect(deadline).toBeGreaterThan(5_000 + leaseMs / 2)
    },
  )
})
