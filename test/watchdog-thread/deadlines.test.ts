import { describe, expect, test } from 'vitest'
import { Deadlines } from '../../src/stores/redis/watchdog-thread/deadlines.js'

/** The two views that two threads have of one memory. */
function views(chunks = 1): { writer: Deadlines; reader: Deadlines } {
  const writer = new Deadlines()
  const reader = new Deadlines()
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const memory = Deadlines.newChunk()
    writer.addChunk(memory)
    reader.addChunk(memory)
  }
  return { writer, reader }
}

describe('Deadlines', () => {
  test('what one writes the other reads, slot by slot, in every chunk', () => {
    const { writer, reader } = views(3)
    const slots = [0, 1, reader.capacity / 3, reader.capacity - 1]
    for (const slot of slots) writer.write(slot, { monotonicUs: slot + 5.9, wallUs: slot + 7.9 })
    for (const slot of slots) {
      expect(reader.read(slot, reader.stamp(slot))).toEqual({ monotonicUs: slot + 5, wallUs: slot + 7 })
    }
    expect(reader.read(2, reader.stamp(2))).toBeUndefined()
  })

  test('the stamp changes with each renewal and with the loss', () => {
    const { writer, reader } = views()
    const stamps = [reader.stamp(0)]
    for (const monotonicUs of [1_000, 2_000]) {
      writer.write(0, { monotonicUs, wallUs: 0 })
      stamps.push(reader.stamp(0))
    }
    writer.lose(0)
    stamps.push(reader.stamp(0))
    expect(new Set(stamps).size).toBe(stamps.length)
    expect(reader.read(0, reader.stamp(0))).toBe('lost')
  })

  test('a slot that is cleared has nothing of the lease before', () => {
    const { writer, reader } = views()
    writer.lose(0)
    reader.clear(0)
    expect(reader.read(0, reader.stamp(0))).toBeUndefined()
  })

  test('a slot beyond the memory is an error, not another lease’s', () => {
    const { reader } = views()
    expect(() => reader.stamp(reader.capacity)).toThrow(RangeError)
  })
})
