import { lockKeyOf } from '../deadlock/cycles.js'
import type { LockRole } from '../errors/deadlock-error.js'
import { type Edge, type EdgesPort, MOST_EDGES_READ, type SeenEdge } from '../ports/edges-port.js'
import type { Clock } from '../time/clock.js'

/** The edges in this process, by locks and ids. */
export class MemoryEdges implements EdgesPort {
  readonly #edges = new Map<string, Map<string, { readonly edge: SeenEdge; readonly until: number }>>()

  constructor(private readonly clock: Clock) {}

  async leave(edge: Edge, waitedMs: number, lifeMs: number): Promise<void> {
    const now = this.clock.now()
    const key = lockKeyOf(edge.waitsFor)
    const beside = this.#edges.get(key) ?? new Map()
    this.#edges.set(key, beside)
    const since = beside.get(edge.id)?.edge.since ?? now - waitedMs
    beside.set(edge.id, { edge: { ...edge, since }, until: now + lifeMs })
  }

  async withdraw({ id, waitsFor }: Edge): Promise<void> {
    const key = lockKeyOf(waitsFor)
    const beside = this.#edges.get(key)
    if (beside?.delete(id) && beside.size === 0) this.#edges.delete(key)
  }

  async of(lock: LockRole, id?: string): Promise<readonly SeenEdge[]> {
    const now = this.clock.now()
    const beside = [...(this.#edges.get(lockKeyOf(lock))?.values() ?? [])]
    return beside
      .flatMap(({ edge, until }) => (until > now && (id ?? edge.id) === edge.id ? [edge] : []))
      .slice(0, MOST_EDGES_READ)
  }

  async *list(): AsyncIterable<SeenEdge> {
    const now = this.clock.now()
    for (const beside of [...this.#edges.values()])
      for (const { edge, until } of [...beside.values()]) if (until > now) yield edge
  }
}
