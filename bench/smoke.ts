import { entryOf } from './catalog.js'
import type { CellResult } from './measure/results.js'

/**
 * What a quick run is for: cells that did not work. A peer that is not installed or cannot do a scenario is no fault; Holdfast
 * has to do all of its own, without an error.
 */
export function faultsOf(cells: readonly CellResult[]): string[] {
  return cells.flatMap((cell) => {
    const fault = faultOf(cell)
    return fault === undefined ? [] : [`${cell.scenario}, ${cell.library}: ${fault}`]
  })
}

function faultOf({ library, result }: CellResult): string | undefined {
  if (result.outcome === 'failed') return result.why
  if (entryOf(library).sort !== 'ours') return undefined
  if (result.outcome !== 'measured') return result.why
  const { sections, overlaps, errors } = result.figures
  if (errors.length > 0) return errors.join('; ')
  if (overlaps > 0) return `exclusion broken ${overlaps} times`
  return sections === 0 ? 'nobody entered a section' : undefined
}
