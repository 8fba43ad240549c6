import { peers } from './catalog.js'
import type { CellResult } from './measure/results.js'
import { summarise } from './measure/summary.js'

/** The peer with the most sections a second; by the median, whether or not it kept exclusion. */
export function bestPeer(
  cells: readonly CellResult[],
  scenario: string,
  among: (name: string) => boolean = () => true,
): string | undefined {
  let best: { name: string; rate: number } | undefined
  for (const name of peers.filter(among)) {
    const found = summarise(cells, scenario, name)?.figures?.sectionsPerSecond
    if (found !== undefined && found > (best?.rate ?? 0)) best = { name, rate: found }
  }
  return best?.name
}
