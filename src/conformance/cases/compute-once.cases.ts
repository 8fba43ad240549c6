import { afterEach, describe, expect, test } from 'vitest'
import { UnstorableValueError } from '../../index.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Values computed once for all, wherever they are kept. */
export function computeOnceCases(place: Place): void {
  afterEach(() => place.tidy())
  const TTL = { ttlMs: 600_000 }

  describe(`computeOnce: ${place.name}`, () => {
    test('one caller of all computes, all get the value, and later ones too', async () => {
      const key = place.lockName()
      const clients = [place.holdfast(), place.holdfast(), place.holdfast()]
      let computed = 0
      const compute = async (): Promise<{ total: number; of: string[] }> => {
        computed += 1
        await place.eventually(() => clients.every(({ census }) => census.calls > 0 || computed > 0))
        return { total: 7, of: ['a', 'b'] }
      }
      const calls = clients.flatMap((client) => [1, 2, 3].map(() => client.computeOnce(key, compute, TTL)))
      const values = await inTime(place, Promise.all(calls))
      expect(values).toEqual(new Array(9).fill({ total: 7, of: ['a', 'b'] }))
      expect(await place.holdfast().computeOnce(key, compute, TTL)).toEqual({ total: 7, of: ['a', 'b'] })
      expect(computed).toBe(1)
      // What one caller does to its value is no other caller's affair.
      const [first, second] = values
      first?.of.push('c')
      expect(second?.of).toEqual(['a', 'b'])
      for (const client of clients) await untilIdle(place, client)
    })

    test.each<[string, unknown]>([
      ['undefined', undefined],
      ['null', null],
      ['an empty text', ''],
      ['zero', 0],
      ['false', false],
      ['a nested one', { a: [1, { b: 'ü€😀"\\' }, null], c: {} }],
      ['a long one', 'x'.repeat(100_000)],
    ])('keeps %s', async (_, value) => {
      const key = place.lockName()
      let computed = 0
      const compute = (): unknown => {
        computed += 1
        return value
      }
      expect(await place.holdfast().computeOnce(key, compute, TTL)).toEqual(value)
      expect(await place.holdfast().computeOnce(key, compute, TTL)).toEqual(value)
      expect(computed).toBe(1)
    })

    test('keys with braces, of any sort', async () => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      for (const key of [`{${name}}:a`, `${name}}b`, `${name}{c`, `${name}{}d`, `${name}}{e}`]) {
        expect(await holdfast.computeOnce(key, () => key, TTL)).toBe(key)
        expect(await place.holdfast().computeOnce(key, () => 'other', TTL)).toBe(key)
      }
    })

    test('faults B17: calls that wait for a computation share its failure; other processes, and who comes later, compute', async () => {
      const key = place.lockName()
      const [one, two] = [place.holdfast(), place.holdfast()]
      const [begun, go] = [new Latch(), new Latch()]
      const failing = rejectionOf(
        one.computeOnce(
          key,
          async () => {
            begun.open()
            await go.opened
            throw new Error('no')
          },
          TTL,
        ),
      )
      await begun.opened
      const behind = [1, 2, 3].map(() => rejectionOf(one.computeOnce(key, () => expect.unreachable(), TTL)))
      const elsewhere = two.computeOnce(key, () => 'second', TTL)
      await untilWaiting(place, two.lock(`once:${key}`), 1)
      go.open()
      const error = await failing
      expect(error).toMatchObject({ message: 'no' })
      for (const each of behind) expect(await each).toBe(error)
      const later = one.computeOnce(key, () => 'second', TTL)
      expect(await inTime(place, Promise.all([elsewhere, later]))).toEqual(['second', 'second'])
    })

    test.each<[string, unknown, string]>([
      ['a bigint', { a: 1n }, '$.a'],
      ['NaN', [0, Number.NaN], '$[1]'],
      ['a function', { f: () => 0 }, '$.f'],
      ['a date', { at: new Date(0) }, '$.at'],
      ['a map', new Map(), '$'],
      ['a hole', { list: [undefined] }, '$.list[0]'],
      ['a lone surrogate', ['\ud800'], '$[0]'],
      ['-0 (H30)', { low: -0 }, '$.low'],
      ['a symbol key (H30)', { a: { [Symbol('b')]: 1 } }, '$.a'],
      ['the match of a regular expression (faults D7)', { found: 'ab'.match(/b/) }, '$.found.index'],
      ['an array of a class (faults D7)', [new (class List extends Array {})()], '$[0]'],
      ['a property that is not enumerable (faults D7)', Object.defineProperty({}, 'a', { value: 1 }), '$.a'],
      ['a getter (faults D7)', Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }), '$.a'],
      ['arrays within each other, deeper than the stack', nested(100_000), '$'],
    ])('a value that JSON does not carry is refused, and not kept: %s', async (_, value, path) => {
      const key = place.lockName()
      const holdfast = place.holdfast()
      const error = await rejectionOf(holdfast.computeOnce(key, () => value, TTL))
      expect(error).toBeInstanceOf(UnstorableValueError)
      expect(error).toMatchObject({ code: 'UNSTORABLE_VALUE', path })
      expect(await holdfast.computeOnce(key, () => 'good', TTL)).toBe('good')
    })

    test('a circle is refused, what is there twice is not', async () => {
      const holdfast = place.holdfast()
      const circle: { self?: unknown } = {}
      circle.self = circle
      await expect(holdfast.computeOnce(place.lockName(), () => circle, TTL)).rejects.toBeInstanceOf(
        UnstorableValueError,
      )
      const shared = { a: 1 }
      expect(await holdfast.computeOnce(place.lockName(), () => [shared, shared], TTL)).toEqual([
        shared,
        shared,
      ])
    })

    test('after ttlMs it is computed anew', async () => {
      const key = place.lockName()
      const holdfast = place.holdfast()
      let computed = 0
      const compute = (): number => (computed += 1)
      const ttlMs = place.lease(2_500)
      expect(await holdfast.computeOnce(key, compute, { ttlMs })).toBe(1)
      expect(await holdfast.computeOnce(key, compute, { ttlMs })).toBe(1)
      await place.pass(ttlMs + 50)
      // Also for who would take an older value: this one was to be kept for so long.
      expect(await holdfast.computeOnce(key, compute, { ttlMs: 600_000, staleMs: 600_000 })).toBe(2)
    })

    test('stale while revalidating: the old value at once, one computes behind it, its failure is an error event', async () => {
      const key = place.lockName()
      const clients = [place.holdfast(), place.holdfast()]
      const options = { ttlMs: 100, staleMs: 60_000 }
      const errors = clients.map((client) => journalOf(client, 'error'))
      expect(await clients[0]?.computeOnce(key, () => 'old', options)).toBe('old')
      await place.pass(150)
      const failing = (): never => {
        throw new Error('no')
      }
      expect(await clients[1]?.computeOnce(key, failing, options)).toBe('old')
      await place.eventually(() => errors[1]?.length === 1)
      const [begun, go] = [new Latch(), new Latch()]
      let computed = 0
      const compute = async (): Promise<string> => {
        computed += 1
        begun.open()
        await go.opened
        return 'new'
      }
      const lasting = { ttlMs: 600_000, staleMs: 60_000 }
      expect(await clients[0]?.computeOnce(key, compute, lasting)).toBe('old')
      await begun.opened
      for (const client of clients) expect(await client.computeOnce(key, compute, lasting)).toBe('old')
      // Who takes no old value waits for the new one.
      const fresh = clients[1]?.computeOnce(key, compute, { ttlMs: 600_000 })
      go.open()
      expect(await fresh).toBe('new')
      await place.eventually(async () => (await clients[1]?.computeOnce(key, compute, lasting)) === 'new')
      expect(computed).toBe(1)
      expect(errors.flat()).toMatchObject([{ message: 'no' }])
      for (const client of clients) await untilIdle(place, client)
    })
  })
}

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
