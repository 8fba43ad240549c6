import Table from 'cli-table3'
import pc from 'picocolors'
import type { Gate } from '../gate.js'
import type { PlannedCell } from '../measure/plan.js'
import type { CellResult } from '../measure/results.js'
import { shownNumber } from './number.js'

export function cellLine(
  { scenario, library, round, tookMs, result }: CellResult,
  done: number,
  of: number,
): string {
  const place = pc.dim(`${`${done}`.padStart(`${of}`.length)}/${of} round ${round + 1}`)
  const name = `${scenario.padEnd(22)} ${library.padEnd(22)}`
  const took = pc.dim(`${(tookMs / 1_000).toFixed(1)} s`)
  if (result.outcome !== 'measured')
    return `${place}  ${name} ${pc.yellow(result.outcome)}: ${result.why.split('\n')[0]} ${took}`
  const { sectionsPerSecond, gaveUp, overlaps, errors } = result.figures
  const remarks = [
    gaveUp > 0 ? pc.yellow(`${gaveUp} not served`) : '',
    overlaps > 0 ? pc.red(`exclusion broken ${overlaps} times`) : '',
    errors.length > 0 ? pc.yellow(`errors: ${errors[0]}`) : '',
  ]
  return `${place}  ${name} ${shownNumber(sectionsPerSecond).padStart(9)}/s ${took} ${remarks.filter(Boolean).join(', ')}`
}

export function gatesTable(gates: readonly Gate[]): string {
  const table = new Table({ head: ['gate', 'needed', 'reached', ''], style: { head: [], border: [] } })
  for (const { what, needed, reached, ok } of gates) {
    table.push([what, needed, reached, ok === undefined ? pc.dim('–') : ok ? pc.green('yes') : pc.red('no')])
  }
  return table.toString()
}

export function estimateLine(cells: readonly PlannedCell[], expectedMs: number): string {
  return `${cells.length} cells, about ${Math.max(1, Math.round(expectedMs / 60_000))} minutes`
}
