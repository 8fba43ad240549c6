import Table from 'cli-table3'
import type { Finding } from './finding.js'
import type { Palette } from './palette.js'

/** The closing table. */
export function findingsTable(findings: readonly Finding[], palette: Palette): string {
  const table = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'left', 'left'] })
  for (const { what, figure, sound } of findings) {
    const verdict = sound === undefined ? '' : sound ? palette.green('ok') : palette.red('VIOLATED')
    table.push([what, palette.bold(figure), verdict])
  }
  return table.toString()
}
