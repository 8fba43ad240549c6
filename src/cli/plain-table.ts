import stringWidth from 'string-width'

/** Columns without lines. A cell may have several lines. */
export function plainTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.split('\n')))
  const widths: number[] = []
  for (const row of cells) {
    for (const [column, lines] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, ...lines.map((line) => stringWidth(line)))
  }
  const lines = cells.flatMap((row) => {
    const height = Math.max(...row.map(({ length }) => length))
    return Array.from({ length: height }, (_, index) => row.map((cell) => cell[index] ?? ''))
  })
  const wide = (text: string, column: number): string =>
    text + ' '.repeat((widths[column] ?? 0) - stringWidth(text))
  return lines.map((line) => line.map(wide).join('  ').trimEnd()).join('\n')
}
