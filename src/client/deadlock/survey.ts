import type { DeadlockLink, LockRole } from '../../base/errors/deadlock-error.js'
import { lockKeyOf, type SeenEdge } from '../../port/edges-port.js'
import { linkOf } from './cycles.js'
import { type Deadlocks, deadlocksAmong } from './verify.js'
import type { View } from './view.js'

/** So many locks more are read than those that are asked about. */
const MOST_FOLLOWED = 100

/** What hangs on some locks. */
export interface Around {
  readonly deadlocks: Deadlocks
  /** Who waits for one of them while it holds others, who waits for those, and so on: one for each of the locks held. */
  readonly waits: readonly DeadlockLink[]
}

/** The deadlocks that these locks are part of, and what else hangs on them. `turn` settles when the next lock may be read. */
export async function waitsAround(
  view: View,
  locks: readonly LockRole[],
  turn: () => Promise<void>,
): Promise<Around> {
  const found = new Map<string, SeenEdge>()
  const read = new Set<string>()
  const ahead = [...locks]
  // A cycle through a lock is among the edges beside it, those beside what its waiters hold, and so on.
  for (let lock = ahead.shift(); lock && read.size < locks.length + MOST_FOLLOWED; lock = ahead.shift()) {
    const key = lockKeyOf(lock)
    if (read.has(key)) continue
    read.add(key)
    await turn()
    for (const edge of await view.edges.of(lock)) {
      found.set(edge.id, edge)
      ahead.push(...edge.holds)
    }
  }
  const edges = [...found.values()]
  const waits = edges.flatMap((edge) => edge.holds.map((hold) => linkOf(edge, hold)))
  return { deadlocks: await deadlocksAmong(edges, view), waits }
}

/** Who waits while it holds something, and who of them for each other. */
export interface Survey {
  readonly edges: readonly SeenEdge[]
  readonly deadlocks: Deadlocks
}

/** Looks at the whole store, for operators. */
export async function survey(view: View): Promise<Survey> {
  const edges: SeenEdge[] = []
  for await (const edge of view.edges.list()) edges.push(edge)
  return { edges, deadlocks: await deadlocksAmong(edges, view) }
}
