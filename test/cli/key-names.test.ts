import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  keyOfLatchChannel,
  keyOfPermits,
  keyOfTaken,
  keysOfSemaphoreChannel,
  takenOf,
} from '../../src/cli/redis/key-names.js'
import {
  latchChannelOf,
  redissonPermitsKeyOf,
  semaphoreChannelOf,
} from '../../src/stores/redis/keys/semaphore-keys.js'

/** Short, and rich in what braces do to a key. */
const keys = fc.string({ unit: fc.constantFrom('a', '1', ':', '{', '}'), minLength: 1, maxLength: 8 })

describe('keys found in Redis lead back to the locks they belong to', () => {
  const always = (holds: (key: string) => void) => fc.assert(fc.property(keys, holds))

  it('holders of a semaphore', () =>
    always((key) => {
      expect(keyOfTaken(takenOf(key))).toBe(key)
    }))

  it('permits: of `x` and of `{x}` Redisson has them in one key, which is taken for that of `x`', () =>
    always((key) => {
      expect(keyOfPermits(redissonPermitsKeyOf(key))).toBe(/^\{([^{]+)\}$/.exec(key)?.[1] ?? key)
    }))

  it('channels', () =>
    always((key) => {
      expect(keysOfSemaphoreChannel(semaphoreChannelOf(key))).toContain(key)
      expect(keyOfLatchChannel(latchChannelOf(key))).toBe(key)
    }))

  it('anything else leads nowhere', () => {
    const odd = ['holdfast_semaphore_permits', 'holdfast_semaphore_leases:{a}', 'a', ':timeout', 'a:timeout']
    for (const key of odd) {
      for (const lead of [keyOfTaken, keyOfPermits, keyOfLatchChannel]) expect(lead(key)).toBeUndefined()
      expect(keysOfSemaphoreChannel(key)).toEqual([])
    }
  })
})
