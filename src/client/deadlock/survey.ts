import type { SeenEdge } from '../../port/edges-port.js'
import { type Deadlocks, deadlocksAmong } from './verify.js'
import type { View } from './view.js'

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
