import calculateSlot from 'cluster-key-slot'
import { describe, expect, test } from 'vitest'
import { releaseChannelOf } from '../../src/redis/channels/release-channel.js'
import { slotOf } from '../../src/redis/connection/slot.js'

describe('names in Redis', () => {
  test.each([
    ['invoice:42', 'redisson_lock__channel:{invoice:42}'],
    ['{tag}:a:b', 'redisson_lock__channel:{tag}:a:b'],
    ['a{b}c', 'redisson_lock__channel:a{b}c'],
    ['a{', 'redisson_lock__channel:a{'],
    ['}a', 'redisson_lock__channel:{}a}'],
  ])('the release channel of %s is Redisson’s', (key, channel) => {
    expect(releaseChannelOf(key)).toBe(channel)
  })

  test('a lock without braces and its channel share a slot', () => {
    for (const name of ['a', 'invoice:42', 'with spaces', 'ключ', '🔒']) {
      expect(slotOf(releaseChannelOf(name))).toBe(slotOf(name))
    }
  })

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
