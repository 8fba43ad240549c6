import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'

test('the stripe of a key is the CRC-32 of its UTF-8 form, the same in every version and language', () => {
  const striped = new Holdfast(new MemoryStore()).stripedLock('stock', 20)
  // The check value of the CRC catalogue, and what java.util.zip.CRC32 and Python's zlib.crc32 give.
  expect(striped.indexOf('123456789')).toBe(0xcbf43926 % 20)
  expect(striped.indexOf('')).toBe(0)
  expect(striped.indexOf('ключ')).toBe(0x0caf961a % 20)
  const counts = new Array<number>(20).fill(0)
  for (let item = 0; item < 10_000; item += 1) {
    const index = striped.indexOf(`item:${item}`)
    counts[index] = (counts[index] ?? 0) + 1
  }
  // 500 on average: no stripe has much more than its part.
  expect(Math.max(...counts)).toBeLessThan(600)
  expect(Math.min(...counts)).toBeGreaterThan(400)
})

test('a cluster spreads the stripes over its nodes, unless the name has a hash tag', () => {
  const slots = (name: string): number[] =>
    Array.from({ length: 20 }, (_, index) => slotOf(`${name}:${index}`))
  for (const name of ['stock', 'a', 'orders:2026']) {
    const nodes = slots(name).map((slot) => Math.floor(slot / (16_384 / 3)))
    for (const node of [0, 1, 2])
      expect(nodes.filter((each) => each === node).length).toBeGreaterThanOrEqual(4)
  }
  expect(new Set(slots('{stock}')).size).toBe(1)
})
