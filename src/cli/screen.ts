import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import type { StandardStream } from './standard-stream.js'

const ESC = '\u001b'
const graphemes = new Intl.Segmenter()

/** The part of the terminal that is redrawn. */
export class Screen {
  #shown = ''

  constructor(private readonly stream: StandardStream) {}

  draw(text: string): void {
    // A terminal that does not know its size reports 0.
    const columns = process.stdout.columns || Infinity
    const rows = process.stdout.rows || Infinity
    // The terminal has re-wrapped rows that were drawn at another width.
    const up = this.#shown === '' ? 0 : rowsOf(this.#shown, columns)
    this.#shown = fitting(text, columns, rows)
    this.stream.write(`${up === 0 ? '' : `${ESC}[${up}A${ESC}[G${ESC}[J`}${this.#shown}\n`)
  }

  /** Keeps the present picture; the next one goes below. */
  keep(): void {
    this.#shown = ''
  }
}

/** As many lines as the terminal can show: lines that have scrolled out cannot be redrawn. */
export function fitting(text: string, columns: number, rows: number): string {
  const lines = text.split('\n')
  const fits = (): boolean => rowsOf(lines.join('\n'), columns) < rows
  while (lines.length > 1 && !fits()) lines.splice(-2, 2, '…')
  return lines.join('\n')
}

/** The number of rows of a text on a terminal, which wraps long lines. Colours take no columns, some characters two. */
export function rowsOf(text: string, columns: number): number {
  return text.split('\n').reduce((sum, line) => sum + rowsOfLine(line, columns), 0)
}

function rowsOfLine(line: string, columns: number): number {
  let rows = 1
  let column = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    const width = stringWidth(segment)
    // A character wider than the rest of a row moves to the next row.
    if (column > 0 && column + width > columns) {
      rows += 1
      column = 0
    }
    column += width
  }
  return rows
}
