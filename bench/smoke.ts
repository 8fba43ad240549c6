import { entryOf } from './catalog.js'
import type { CellResult, Results } from './measure/results.js'

/**
 * What a quick run is for: what did not work. A peer that is not installed or cannot do a scenario is no fault, nor is a database that is
 * not to be had; Holdfast has to do all of its own, without an error.
 */
export function faultsOf({
  cells,
  tables = [],
  takeOvers = [],
  manyClients = [],
  simulated = [],
}: Pick<Results, 'cells' | 'tables' | 'takeOvers' | 'manyClients' | 'simulated'>): string[] {
  return [
    ...cells.flatMap((cell) => {
      const fault = faultOf(cell)
      return fault === undefined ? [] : [`${cell.scenario}, ${cell.library}: ${fault}`]
    }),
    ...takeOvers.flatMap((each) =>
      'failed' in each ? [`a lock whose holder was killed: ${each.failed}`] : [],
    ),
    ...[...manyClients, ...simulated].flatMap((each) =>
      'failed' in each ? [`a large fleet: ${each.failed}`] : [],
    ),
    ...tables.flatMap((table) => ('failed' in table ? [`the table of locks: ${table.failed}`] : [])),
  ]
}

function faultOf({ library, result }: CellResult): string | undefined {
  if (result.outcome === 'failed') return result.why
  if (result.outcome === 'skipped' || entryOf(library).sort !== 'ours') return undefined
  if (result.outcome !== 'measured') return result.why
  const { sections, overlaps, errors } = result.figures
  if (errors.length > 0) return errors.join('; ')
  if (overlaps > 0) return `exclusion broken ${overlaps} times`
  return sections === 0 ? 'nobody entered a section' : undefined
}
