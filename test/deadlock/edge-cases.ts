/** Edges as a store keeps them. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindsOf } from '../../src/client/lock-client.js'
import { Holdfast } from '../../src/index.js'
import { type EdgesPort, MOST_EDGES_READ, type SeenEdge } from '../../src/port/edges-port.js'
import { hostileNames } from '../properties/hostile-names.js'
import { runsOr } from '../properties/runs.js'
import { eventually } from '../setup/eventually.js'
import { edge } from './edges.js'

const LONG_MS = 600_000

/** What a client is made of, and what ends that. */
export interface EdgePlace {
  readonly source: ConstructorParameters<typeof Holdfast>[0]
  disconnect(): void
}

/** @param runs how many names are tried */
export function edgeCases(open: () => EdgePlace, runs: number): void {
  let edges: EdgesPort
  let end: () => Promise<void>

  beforeAll(() => {
    const { source, disconnect } = open()
    const holdfast = new Holdfast(source)
    const port = kindsOf(holdfast).session.edges
    if (!port) throw new Error('it has edges')
    edges = port
    end = async () => {
      await holdfast.close()
      disconnect()
    }
  })
  afterAll(() => end())

  async function listed(): Promise<SeenEdge[]> {
    const found: SeenEdge[] = []
    for await (const each of edges.list()) found.push(each)
    return found
  }

  const idsAt = async (name: string): Promise<string[]> =>
    (await edges.of(edge('', [], name).waitsFor)).map(({ id }) => id).sort()

  test('K3: an edge that is left again keeps its beginning, and has what it holds now', async () => {
    const first = edge('o/1', ['b'], 'a', { rejects: true, waitsAt: 'here' })
    await edges.leave(first, 500, LONG_MS)
    const [before] = await edges.of(first.waitsFor)
    expect(before).toEqual({ ...first, since: before?.since })
    await edges.leave(edge('o/1', ['b', 'r:c'], 'a'), 5_000, LONG_MS)
    const [after] = await edges.of(first.waitsFor)
    expect(after).toMatchObject({
      since: before?.since,
      holds: [{ name: 'b' }, { kind: 'read lock', name: 'c' }],
    })
    await edges.withdraw(first)
    await edges.withdraw(first)
    expect(await idsAt('a')).toEqual([])
  })

  test('K2: the two sides of a read-write lock have theirs together, apart from the plain lock of that name', async () => {
    const all = [edge('o/1', [], 'same'), edge('o/2', [], 'r:same'), edge('o/3', [], 'w:same')]
    for (const each of all) await edges.leave(each, 0, LONG_MS)
    expect(await idsAt('same')).toEqual(['o/1'])
    expect(await idsAt('w:same')).toEqual(['o/2', 'o/3'])
    for (const each of all) await edges.withdraw(each)
  })

  test('K5: one whose time is up is gone, whatever lies beside it', async () => {
    const short = edge('o/1', [], 'brief')
    const long = edge('o/2', [], 'brief')
    await edges.leave(long, 0, LONG_MS)
    await edges.leave(short, 0, 20)
    await eventually(async () => (await idsAt('brief')).join() === 'o/2')
    expect((await listed()).map(({ id }) => id)).toEqual(['o/2'])
    await edges.withdraw(long)
    expect(await listed()).toEqual([])
  })

  test('K6: of one lock no more than the bound are read', async () => {
    const many = Array.from({ length: MOST_EDGES_READ + 7 }, (_, index) => edge(`o/${index}`, [], 'many'))
    await Promise.all(many.map((each) => edges.leave(each, 0, LONG_MS)))
    expect(await idsAt('many')).toHaveLength(MOST_EDGES_READ)
    for (const { id, waitsFor } of many)
      expect((await edges.of(waitsFor, id)).map((seen) => seen.id)).toEqual([id])
    expect(await edges.of(edge('', [], 'many').waitsFor, 'nobody')).toEqual([])
    await Promise.all(many.map((each) => edges.withdraw(each)))
    expect(await listed()).toEqual([])
  })

  test('K2: names of any characters, read as they were left, and listed', async () => {
    await fc.assert(
      fc.asyncProperty(hostileNames, hostileNames, async (waitsFor, held) => {
        const role = { kind: 'lock', name: waitsFor } as const
        const left = edge('o/1', [], 'a', {
          waitsFor: role,
          holds: [{ kind: 'write lock', name: held, storedAs: 'someone~%1B:7' }],
        })
        await edges.leave(left, 0, LONG_MS)
        const [seen, ...others] = await edges.of(role)
        expect(others).toEqual([])
        expect(seen).toEqual({ ...left, since: seen?.since })
        expect((await listed()).map((each) => each.waitsFor.name)).toEqual([waitsFor])
        await edges.withdraw(left)
      }),
      runsOr(runs),
    )
  })
}
