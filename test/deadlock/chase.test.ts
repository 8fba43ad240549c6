import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LockRole } from '../../src/base/errors/deadlock-error.js'
import { chase, MOST_LINKS, MOST_LOCKS } from '../../src/client/deadlock/chase.js'
import { cyclesThrough } from '../../src/client/deadlock/cycles.js'
import { survey } from '../../src/client/deadlock/survey.js'
import type { View } from '../../src/client/deadlock/view.js'
import type { SeenEdge } from '../../src/port/edges-port.js'
import { lockKeyOf } from '../../src/port/edges-port.js'
import { runsOr } from '../properties/runs.js'
import { edge, ownerOf } from './edges.js'

/** A store as it is: the edges that lie there, true or not, and who holds what. */
class World implements View {
  questions = 0
  /** What happens before the n-th question is answered. */
  readonly events = new Map<number, () => void>()

  constructor(
    public lying: readonly SeenEdge[],
    public held: ReadonlyMap<string, readonly string[]>,
  ) {}

  readonly edges: View['edges'] = {
    of: async (lock, wanted) =>
      this.#answer(() =>
        this.lying.filter(
          ({ id, waitsFor }) => lockKeyOf(waitsFor) === lockKeyOf(lock) && (wanted ?? id) === id,
        ),
      ),
    leave: () => Promise.reject(new Error('nobody leaves one here')),
    withdraw: () => Promise.reject(new Error('nobody withdraws one here')),
    list: () => all(this.lying),
  }

  async ownersOf(lock: LockRole): ReturnType<View['ownersOf']> {
    return this.#answer(() =>
      (this.held.get(keyOf(lock)) ?? []).map((name) => ({ owner: ownerOf(name), holds: 1 })),
    )
  }

  #answer<Answer>(answer: () => Answer): Answer {
    this.questions += 1
    this.events.get(this.questions)?.()
    return answer()
  }
}

async function* all(edges: readonly SeenEdge[]): AsyncIterable<SeenEdge> {
  yield* edges
}

const keyOf = ({ kind, name }: LockRole): string => `${kind} ${name}`

/** Who holds what if all these edges are true. */
function heldBy(edges: readonly SeenEdge[]): Map<string, string[]> {
  const held = new Map<string, string[]>()
  for (const { id, holds } of edges)
    for (const hold of holds) held.set(keyOf(hold), [...(held.get(keyOf(hold)) ?? []), id])
  return held
}

const ring = (size: number): SeenEdge[] =>
  Array.from({ length: size }, (_, index) => edge(`o${index}`, [`l${index}`], `l${(index + 1) % size}`))

const lockNames = ['a', 'b', 'c', 'd', 'r:e', 'w:e']
const worlds = fc
  .array(
    fc.record({
      holds: fc.subarray(lockNames),
      waitsFor: fc.constantFrom(...lockNames),
      // An owner whose process was killed, whose lease has ended, that was told of a grant a moment ago.
      stale: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((each) =>
    each.map(({ holds, waitsFor, stale }, index) => ({ stale, edge: edge(`o${index}`, holds, waitsFor) })),
  )

describe('the chase', () => {
  test('K3: edges of owners that hold nothing any more make no cycle, however many lie there', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (each) => {
        const lying = each.map(({ edge }) => edge)
        const truth = each.flatMap(({ stale, edge }) => (stale ? [] : [edge]))
        const found = (await survey(new World(lying, heldBy(truth)))).deadlocks
        const real = new Set(truth.map(({ owner }) => owner))
        for (const cycle of found) for (const { owner } of cycle) expect(real).toContain(owner)
        for (const start of truth) {
          const cycle = await chase(start, new World(lying, heldBy(truth)))
          if (cycle) expect(cycle.every(({ owner }) => real.has(owner))).toBe(true)
          // Without stale edges nothing hides the cycle.
          const clean = await chase(start, new World(truth, heldBy(truth)))
          expect(clean !== undefined).toBe(cyclesThrough(start, truth).length > 0)
        }
      }),
      runsOr(2_000),
    )
  })

  test('K3: an edge that goes, or changes, while the chase looks makes no cycle', async () => {
    const edges = ring(3)
    const [start, second, third] = edges
    if (!start || !second || !third) throw new Error('a ring of three')
    const calm = new World(edges, heldBy(edges))
    expect(await chase(start, calm)).toBeDefined()
    const changed = [start, second, { ...third, holds: [] }]
    for (const after of [[start, second], changed]) {
      // Between the last question about owners and the first about edges.
      const world = new World(edges, heldBy(edges))
      world.events.set(calm.questions - 2, () => {
        world.lying = after
      })
      expect(await chase(start, world)).toBeUndefined()
    }
  })

  test('K6: it asks no more than its bound, whatever lies there', async () => {
    // Each holds many locks, for each of which many wait: far more than a chase reads.
    const lying = Array.from({ length: 60 }, (_, index) =>
      edge(
        `o${index}`,
        Array.from({ length: 40 }, (_, hold) => `l${(index * 40 + hold) % 2_400}`),
        `l${(index * 97) % 2_400}`,
      ),
    )
    const [start] = lying
    if (!start) throw new Error('there is one')
    const world = new World(lying, new Map())
    await chase(start, world)
    expect(world.questions).toBeLessThanOrEqual(MOST_LOCKS + 4 * 2 * MOST_LINKS)
  })

  test.each([
    ['of that length is', MOST_LINKS, true],
    ['longer than that is not', MOST_LINKS + 1, false],
  ])('K6: of cycles up to its bound one %s found', async (_, size, found) => {
    const edges = ring(size)
    const [start = edge('none', [], 'l0')] = edges
    expect((await chase(start, new World(edges, heldBy(edges)))) !== undefined).toBe(found)
  })
})
