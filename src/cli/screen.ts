import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import type { StandardStream } from './standard-stream.js'

const ESC = '\u001b'
const graphemes = new Intl.Segmenter()

/** The part of the terminal that is drawn over and over. */
export class Screen {
  #shown = ''

  constructor(private readonly stream: StandardStream) {}

  draw(text: string): void {
    // A terminal that does not know its size says 0.
    const columns = process.stdout.columns || Number.POSITIVE_INFINITY
    const rows = process.stdout.rows || Number.POSITIVE_INFINITY
    // Rows that were drawn at another width have been wrapped anew since.
    const up = this.#shown === '' ? 0 : rowsOf(this.#shown, columns)
    this.#shown = fitting(text, columns, rows)
    this.stream.write(`${up === 0 ? '' : `${ESC}[${up}A${ESC}[G${ESC}[J`}${this.#shown}\n`)
  }

  /** Leaves what is shown where it is; the next picture goes below. */
  keep(): void {
    this.#shown = ''
  }
}

/** As many of the lines as the terminal can show at once: what has left it at the top cannot be drawn anew. */
export function fitting(text: string, columns: number, rows: number): string {
  const lines = text.split('\n')
  const fits = (): boolean => rowsOf(lines.join('\n'), columns) < rows
  while (lines.length > 1 && !fits()) lines.splice(-2, 2, '…')
  return lines.join('\n')
}

/** How many rows a text fills on a terminal, which wraps long lines. Colours take no room, some characters two columns. */
export function rowsOf(text: string, columns: number): number {
  return text.split('\n').reduce((sum, line) => sum + rowsOfLine(line, columns), 0)
}

function rowsOfLine(line: string, columns: number): number {
  let rows = 1
  let column = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    const width = stringWidth(segment)
    // What is wider than the rest of a row goes to the next as a whole.
    if (column > 0 && column + width > columns) {
      rows += 1
      column = 0
    }
    column += width
  }
  return rows
}
