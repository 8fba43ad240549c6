import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Linked, LinkedSet } from '../../src/base/collections/linked-set.js'

interface Item extends Linked<Item> {
  readonly number: number
}

const itemOf = (number: number): Item => ({ number, before: undefined, behind: undefined })

describe('LinkedSet', () => {
  test('is a set in the order of coming, whatever comes and goes', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ add: fc.boolean(), number: fc.nat(7) })), (steps) => {
        const items = Array.from({ length: 8 }, (_, number) => itemOf(number))
        const linked = new LinkedSet<Item>()
        const model = new Set<Item>()
        for (const { add, number } of steps) {
          const item = items[number]
          if (!item) continue
          if (add) {
            linked.add(item)
            model.add(item)
          } else expect(linked.delete(item)).toBe(model.delete(item))
          expect(linked.size).toBe(model.size)
          expect([...linked]).toEqual([...model])
          expect(linked.first).toBe([...model][0])
          for (const each of items) expect(linked.has(each)).toBe(model.has(each))
        }
      }),
    ))

  test('what has left leads to no other item', () => {
    const [one, two, three] = [itemOf(1), itemOf(2), itemOf(3)]
    const linked = new LinkedSet<Item>()
    for (const item of [one, two, three]) linked.add(item)
    linked.delete(two)
    expect(two).toEqual(itemOf(2))
    expect([...linked].map(({ number }) => number)).toEqual([1, 3])
  })
})
