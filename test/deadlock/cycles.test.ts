import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cyclesAmong,
  cyclesThrough,
  holdBetween,
  idOf,
  linksOf,
  victimOf,
} from '../../src/client/deadlock/cycles.js'
import type { SeenEdge } from '../../src/port/edges-port.js'
import { runsOr } from '../properties/runs.js'
import { edge } from './edges.js'

const ids = (cycles: ReadonlyArray<readonly SeenEdge[]>): string[][] =>
  cycles.map((cycle) => cycle.map(({ id }) => id))

describe('cycles', () => {
  test('K2: three that wait for each other are one cycle, in the order of their waiting', () => {
    const edges = [edge('x', ['a'], 'b'), edge('z', ['c'], 'a'), edge('y', ['b'], 'c')]
    expect(ids(cyclesAmong(edges))).toEqual([['x', 'y', 'z']])
  })

  test('K2: a writer waits for each reader, a reader for a writer; readers never wait for each other', () => {
    const writerAmongReaders = [
      edge('writer', ['a'], 'w:d'),
      edge('one', ['r:d'], 'a'),
      edge('other', ['r:d'], 'b'),
    ]
    expect(ids(cyclesAmong(writerAmongReaders))).toEqual([['one', 'writer']])
    expect(ids(cyclesAmong([edge('x', ['w:d'], 'a'), edge('y', ['a'], 'r:d')]))).toEqual([['x', 'y']])
    expect(cyclesAmong([edge('x', ['r:d'], 'a'), edge('y', ['a'], 'r:d')])).toEqual([])
  })

  test('K3: a read-write lock and a plain lock of one name are two locks', () => {
    expect(cyclesAmong([edge('x', ['a'], 'w:b'), edge('y', ['b'], 'a')])).toEqual([])
  })

  test('K4: the youngest of those that would gives way, and all members find the same one', () => {
    const cycle = [
      edge('x', ['a'], 'b', { since: 35, rejects: true }),
      edge('y', ['b'], 'c', { since: 40 }),
      edge('z', ['c'], 'a', { since: 30, rejects: true }),
    ]
    const turns = cycle.map((_, index) => [...cycle.slice(index), ...cycle.slice(0, index)])
    expect(turns.map((turned) => victimOf(turned)?.id)).toEqual(['x', 'x', 'x'])
    expect(new Set(turns.map(idOf)).size).toBe(1)
    expect(new Set(turns.map((turned) => JSON.stringify(linksOf(turned)))).size).toBe(1)
    const tied = turns.map((turned) => turned.map((each) => ({ ...each, since: 30 })))
    expect(tied.map((turned) => victimOf(turned)?.id)).toEqual(['z', 'z', 'z'])
    expect(victimOf(cycle.map((each) => ({ ...each, rejects: false })))).toBeUndefined()
  })

  test('K2: a link names what it holds, what it waits for, its label and where that was taken', () => {
    const held = { kind: 'read lock', name: 'd', storedAs: 'other~other:7', takenAt: 'there' } as const
    const cycle = [edge('x', [], 'a', { holds: [held], waitsAt: 'here', since: 5 }), edge('y', ['a'], 'w:d')]
    expect(linksOf(cycle)[0]).toEqual({
      owner: 'x~x:1',
      label: 'x',
      holds: { kind: 'read lock', name: 'd' },
      waitsFor: { kind: 'lock', name: 'a' },
      waitsSince: 5,
      takenAt: 'there',
      waitsAt: 'here',
    })
  })
})

const lockNames = ['a', 'b', 'c', 'd', 'r:e', 'w:e', 'r:f', 'w:f']
const graphs = fc
  .array(fc.record({ holds: fc.subarray(lockNames), waitsFor: fc.constantFrom(...lockNames) }), {
    maxLength: 9,
  })
  .map((all) => all.map(({ holds, waitsFor }, index) => edge(`o${index}`, holds, waitsFor)))

/** Whether one comes back to where it started, by trying every way. */
function comesBack(start: SeenEdge, edges: readonly SeenEdge[]): boolean {
  const seen = new Set<string>()
  const goes = (from: SeenEdge): boolean =>
    edges.some((to) => {
      if (to.id === from.id || !holdBetween(from, to)) return false
      if (to.id === start.id) return true
      if (seen.has(to.id)) return false
      seen.add(to.id)
      return goes(to)
    })
  return goes(start)
}

describe('cycles in any graph', () => {
  test('K3: every cycle is one: each waits for what the next one holds, and nobody is in it twice', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        for (const cycle of cyclesAmong(edges)) {
          expect(new Set(cycle.map(({ id }) => id)).size).toBe(cycle.length)
          for (const [index, from] of cycle.entries()) {
            const to = cycle[(index + 1) % cycle.length]
            expect(to && holdBetween(from, to)).toBeDefined()
          }
        }
      }),
      runsOr(2_000),
    )
  })

  test('K2: one is found through an edge exactly if a plain search comes back to it', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        for (const start of edges)
          expect(cyclesThrough(start, edges).length > 0).toBe(comesBack(start, edges))
      }),
      runsOr(2_000),
    )
  })
})
