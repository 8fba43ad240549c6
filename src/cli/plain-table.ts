import Table from 'cli-table3'

/** Columns without lines. */
export function plainTable(rows: readonly string[][]): string {
  const nothing = ''
  const table = new Table({
    chars: {
      top: nothing,
      'top-mid': nothing,
      'top-left': nothing,
      'top-right': nothing,
      bottom: nothing,
      'bottom-mid': nothing,
      'bottom-left': nothing,
      'bottom-right': nothing,
      left: nothing,
      'left-mid': nothing,
      mid: nothing,
      'mid-mid': nothing,
      right: nothing,
      'right-mid': nothing,
      middle: '  ',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}
