import calculateSlot from 'cluster-key-slot'
import { describe, expect, test } from 'vitest'
import { slotOf } from '../../src/stores/redis/keys/slot.js'

/** Channels: test/properties/names.test.ts. */
describe('names in Redis', () => {
  test('slots are those of the cluster: CRC16 of the specification, hash tags by its rule', () => {
    expect(slotOf('123456789')).toBe(0x31c3)
    expect(slotOf('{user1000}.following')).toBe(slotOf('{user1000}.followers'))
    expect(slotOf('foo{{bar}}zap')).toBe(slotOf('{bar'))
    expect(slotOf('foo{bar}{zap}')).toBe(slotOf('bar'))
    for (const key of ['a', 'foo{bar}', 'ключ', '🔒{x}', 'x'.repeat(10_000)])
      expect(slotOf(key)).toBe(calculateSlot(key))
  })

  test('empty braces are no tag: the whole key counts', () => {
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('bar'))
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('foo{}{baz}'))
  })
})
