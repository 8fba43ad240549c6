import { describe, expect, test } from 'vitest'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { HoldfastError, InvalidArgumentError } from '../../src/index.js'
import { FenceGuard } from '../../src/kinds/fencing/fence-guard.js'

describe('FenceGuard', () => {
  test('lets equal and greater tokens pass, and refuses smaller ones', () => {
    const guard = new FenceGuard('ledger')
    guard.check(3n)
    guard.check(3n)
    guard.check(9_007_199_254_740_993n)
    expect(guard.seen()).toBe(9_007_199_254_740_993n)
    expect(() => guard.check(9_007_199_254_740_992n)).toThrow(StaleFenceError)
    expect(() => guard.check(3n)).toThrow(
      expect.objectContaining({
        name: 'StaleFenceError',
        code: 'STALE_FENCE',
        resource: 'ledger',
        offered: 3n,
        seen: 9_007_199_254_740_993n,
        message: expect.stringContaining('"ledger" refused fencing token 3'),
      }),
    )
    expect(guard.seen()).toBe(9_007_199_254_740_993n)
  })

  test('keeps resources apart, and forgets what it is told to', () => {
    const guard = new FenceGuard()
    guard.check(5n, 'a')
    guard.check(4n, 'b')
    guard.check(1n)
    expect(() => guard.check(4n, 'a')).toThrow(expect.objectContaining({ resource: 'a', seen: 5n }))
    guard.forget('a')
    guard.check(4n, 'a')
    expect([guard.seen('a'), guard.seen('b'), guard.seen(), guard.seen('c')]).toEqual([4n, 4n, 1n, undefined])
  })

  test('runs the body of a good token only, and gives what that gives', async () => {
    const guard = new FenceGuard()
    const ran: string[] = []
    expect(guard.run(2n, () => ran.push('sync'))).toBe(1)
    expect(await guard.run(2n, async () => ran.push('async'))).toBe(2)
    expect(() => guard.run(1n, () => ran.push('late'))).toThrow(StaleFenceError)
    await expect(guard.run(3n, () => Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    expect(() => guard.run(2n, () => ran.push('late'))).toThrow(StaleFenceError)
    expect(ran).toEqual(['sync', 'async'])
  })

  test.each([undefined, 0n, -1n, 2n ** 63n])('%s is no token', (fence) => {
    const guard = new FenceGuard()
    expect(() => guard.check(fence)).toThrow(InvalidArgumentError)
    expect(() => guard.check(fence)).toThrow(/fencedLock/)
    expect(guard.seen()).toBeUndefined()
  })

  test('the error is one of Holdfast’s', () => {
    expect(new StaleFenceError('stock', 1n)).toBeInstanceOf(HoldfastError)
    expect(new StaleFenceError('stock', 1n)).toMatchObject({ seen: undefined, lockName: undefined })
  })
})
