import type { DeadlockLink } from '../../base/errors/deadlock-error.js'
import type { Edge, SeenEdge } from '../../port/edges-port.js'
import { cyclesAmong, holdBetween, linksOf } from './cycles.js'
import type { View } from './view.js'

export type Deadlocks = ReadonlyArray<readonly DeadlockLink[]>

/**
 * Whether a cycle whose edges were read one after the other was there at one time (rule K3). First each lock must still have the owner that
 * the edge says; then each edge must still be there, unchanged. An owner that waited from before until after cannot have given back
 * meanwhile what its waiting code holds; so at the time between the two all of them waited, and held what the others waited for.
 * Returns the edges as they are now, or undefined.
 */
export async function verified(cycle: readonly Edge[], view: View): Promise<readonly SeenEdge[] | undefined> {
  const held = await Promise.all(cycle.map((edge, index) => isHeld(edge, cycle[index + 1] ?? cycle[0], view)))
  if (held.includes(false)) return undefined
  const now = await Promise.all(
    cycle.map(async (edge) =>
      (await view.edges.of(edge.waitsFor, edge.id)).find((seen) => isSame(seen, edge)),
    ),
  )
  const standing = now.filter((edge) => edge !== undefined)
  return standing.length === cycle.length ? standing : undefined
}

/** The cycles among them that stand. */
export async function deadlocksAmong(edges: readonly SeenEdge[], view: View): Promise<Deadlocks> {
  const deadlocks: Array<readonly DeadlockLink[]> = []
  for (const cycle of cyclesAmong(edges)) {
    const standing = await verified(cycle, view)
    if (standing) deadlocks.push(linksOf(standing))
  }
  return deadlocks
}

async function isHeld(waiting: Edge, holder: Edge | undefined, view: View): Promise<boolean> {
  const hold = holder && holdBetween(waiting, holder)
  return hold !== undefined && (await view.ownersOf(hold)).some(({ owner }) => owner === hold.storedAs)
}

function isSame(one: Edge, other: Edge): boolean {
  return one.id === other.id && holdsText(one) === holdsText(other)
}

function holdsText({ holds }: Edge): string {
  return JSON.stringify(holds.map(({ kind, name, storedAs }) => [kind, name, storedAs]))
}
