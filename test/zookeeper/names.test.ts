/** How locks and entries are called in ZooKeeper. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyOf } from '../../src/stores/session/key.js'
import type { Mode } from '../../src/stores/session/line.js'
import { lineOf, nodeOf, prefixOf } from '../../src/stores/zookeeper/entry-node.js'
import { decodeName, encodeName, folderOf, pathOf } from '../../src/stores/zookeeper/node-name.js'
import { hostileNames } from '../properties/hostile-names.js'
import { runsOr } from '../properties/runs.js'

/** What ZooKeeper's own check of paths refuses in a part of one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const REFUSED = /^\.{1,2}$|^$|[/\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/

const names = fc.oneof(
  hostileNames,
  fc.constantFrom('.', '..', '/', '%', 'zookeeper', 'a/b', '../a', '\u{e000}'),
)
const runs = runsOr(500)

describe('the name of a lock', () => {
  test('is a name that ZooKeeper takes, and is found again in it', () => {
    fc.assert(
      fc.property(names, (name) => {
        const node = encodeName(name)
        expect(node).not.toMatch(REFUSED)
        expect(decodeName(node)).toBe(name)
      }),
      runs,
    )
  })

  test.each(['invoice', 'invoice:42', 'a b', 'Übung', 'lock-0000000001', '_c_x', '...', '.a'])(
    'stays as it is where ZooKeeper takes it, so that Curator finds it there: %s',
    (name) => {
      expect(encodeName(name)).toBe(name)
    },
  )

  test('leads nowhere else than under the root, and into no folder of another kind', () => {
    fc.assert(
      fc.property(names, (name) => {
        const lock = pathOf('/root', { keyspace: 'lock', name })
        expect(lock.lastIndexOf('/')).toBe('/root'.length)
        for (const keyspace of ['read-write', 'semaphore', 'permits', 'latch'] as const) {
          expect(lock).not.toBe(folderOf('/root', keyspace))
          expect(pathOf('/root', { keyspace, name })).toBe(
            `${folderOf('/root', keyspace)}/${encodeName(name)}`,
          )
        }
      }),
      runs,
    )
  })

  test.each(['%read-write', '%', '%2', '%2f', '%41', '%E0'])('%s is the name of no lock', (node) => {
    expect(decodeName(node)).toBeUndefined()
  })
})

describe('the node of an entry', () => {
  const client = '0b4f5d3e-6c1a-4f7a-9a3e-8f1d2c3b4a5e'
  const nodeAt = (sequence: number, mode: Mode = 'lock', number = sequence): string => {
    const digits = Math.abs(sequence)
      .toString()
      .padStart(sequence < 0 ? 9 : 10, '0')
    return `${prefixOf({ key: keyOf(`${client}:7`, number), mode })}${sequence < 0 ? '-' : ''}${digits}`
  }

  test('is read as it was made, whatever its number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        fc.constantFrom<Mode>('lock', 'write', 'read'),
        (sequence, mode) => {
          const [entry] = lineOf([nodeAt(sequence, mode, 3)], () => ({}))
          expect(entry).toMatchObject({ key: `${client}:7.3`, mode, order: BigInt(sequence >>> 0) })
          expect(entry && nodeOf(entry)).toBe(nodeAt(sequence, mode, 3))
        },
      ),
      runs,
    )
  })

  test('stands in line where the server put it, also when its count passes 2³¹ and when it begins anew at 2³²', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(5, 2 ** 31 - 3, 2 ** 32 - 3),
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
        (from, offsets) => {
          const nodes = offsets.map((offset) => nodeAt((from + offset) | 0, 'lock', offset))
          const line = lineOf(nodes, () => ({}))
          expect(line.map(({ key }) => key)).toEqual(
            offsets.toSorted((one, other) => one - other).map((offset) => keyOf(`${client}:7`, offset)),
          )
          expect(line.map((entry) => nodeOf(entry)).toSorted()).toEqual(nodes.toSorted())
        },
      ),
      runs,
    )
  })

  test.each([
    ['what is for permits names how many', { key: `${client}~a*b:1.2`, permits: 3 }, {}],
    ['a read within a write names the write', { key: 'c:1.2', within: 2n ** 32n + 4n }, { within: 4n }],
  ])('%s', (_, terms, read) => {
    const node = `${prefixOf({ mode: 'read', ...terms })}0000000009`
    const [entry] = lineOf([node], () => ({}))
    expect(entry).toMatchObject({ mode: 'read', order: 9n, ...terms, ...read })
    expect(entry && nodeOf(entry)).toBe(node)
  })

  test('Curator’s are read, with and without what protects them; what is none stands in no line', () => {
    const protectedNode = `_c_${client}-lock-0000000012`
    const line = lineOf(
      [protectedNode, 'lock-0000000011', '_c_x-__WRIT__0000000013', 'other', 'lock-x'],
      () => ({}),
    )
    expect(line.map(({ key, mode }) => [key, mode])).toEqual([
      ['lock-0000000011', 'lock'],
      [client, 'lock'],
      ['x', 'write'],
    ])
    expect(line.map((entry) => nodeOf(entry))).toEqual([
      'lock-0000000011',
      protectedNode,
      '_c_x-__WRIT__0000000013',
    ])
  })
})
