import type { DeadlockLink } from '../../base/errors/deadlock-error.js'
import type { SeenEdge } from '../../port/edges-port.js'
import { cyclesAmong, linksOf } from './cycles.js'
import { verified } from './verify.js'
import type { View } from './view.js'

/** Who waits while it holds something, and who of them for each other. */
export interface Survey {
  readonly edges: readonly SeenEdge[]
  readonly deadlocks: ReadonlyArray<readonly DeadlockLink[]>
}

/** Looks at the whole store, for operators. */
export async function survey(view: View): Promise<Survey> {
  const edges: SeenEdge[] = []
  for await (const edge of view.edges.list()) edges.push(edge)
  const deadlocks: Array<readonly DeadlockLink[]> = []
  for (const cycle of cyclesAmong(edges)) {
    const standing = await verified(cycle, view)
    if (standing) deadlocks.push(linksOf(standing))
  }
  return { edges, deadlocks }
}
