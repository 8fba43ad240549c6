import process from 'node:process'
import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { printable } from '../base/identity/printable.js'
import { BROKEN_PIPE, exitCodes } from './exit-codes.js'
import { type Failure, stackOf } from './failure.js'
import { jsonText } from './json-text.js'
import { StandardStream } from './standard-stream.js'

export type Colours = ReturnType<typeof coloursFor>

/** Values that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** The program's output: results on standard output, everything else on standard error. */
export class Output {
  readonly colours: Colours
  readonly #errorColours: Colours
  /** Whether standard output is a terminal. */
  readonly live: boolean
  readonly results = new StandardStream(1, (error) => this.#endFor(error))
  /** Messages that cannot be written do no harm. */
  readonly notes = new StandardStream(2)

  constructor(readonly json: boolean) {
    this.colours = coloursFor(1)
    this.#errorColours = coloursFor(2)
    this.live = isatty(1) && process.env['TERM'] !== 'dumb'
  }

  /** Writes a result: text, or one line of JSON. Settles when it is written, so that results do not pile up in memory. */
  result(text: () => string, json: Json): Promise<void> {
    this.results.write(`${this.json ? jsonText(json) : text()}\n`)
    return this.results.written
  }

  /** Writes a message that is not a result. */
  note(event: string, text: string, details: { readonly [key: string]: Json } = {}): void {
    this.notes.write(
      this.json ? `${jsonText({ event, message: text, ...details })}\n` : `holdfast: ${printable(text)}\n`,
    )
  }

  failure(failure: Failure, error: unknown, advice: string | undefined): void {
    const { code, message, lock, exitCode } = failure
    if (this.json) {
      const about = { code, message, ...(lock === undefined ? {} : { lock }), exitCode }
      this.notes.write(`${jsonText({ error: about })}\n`)
    } else {
      const label = this.#errorColours.red('holdfast:')
      // Parsers put their suggestions on a separate line.
      const text = message.split('\n').map(printable).join(' ')
      this.notes.write(`${label} ${text}\n${advice === undefined ? '' : `${advice}\n`}`)
    }
    const stack = stackOf(error)
    if (stack !== undefined) this.notes.write(`${stack.split('\n').map(printable).join('\n')}\n`)
  }

  /** Ends the program once all is written, even if a client library still waits for something. */
  async end(exitCode: number): Promise<never> {
    await this.results.written
    await this.notes.written
    process.exit(exitCode)
  }

  /** Without its results the program is useless, so it ends; silently if the reader has closed the pipe (`ls | head`). */
  async #endFor(error: NodeJS.ErrnoException): Promise<never> {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE)
    const message = `cannot write to standard output: ${error.message}`
    const exitCode = exitCodes.notWritten
    this.failure({ exitCode, code: 'OUTPUT', message, lock: undefined }, error, undefined)
    await this.notes.written
    process.exit(exitCode)
  }
}

function coloursFor(descriptor: number) {
  const coloured = hasColours(isatty(descriptor))
  const as = (colour: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(colour, text, { validateStream: false }) : text
  return {
    plain: (text: string) => text,
    bold: as('bold'),
    dim: as('dim'),
    green: as('green'),
    red: as('red'),
    yellow: as('yellow'),
  }
}

/** https://no-color.org: any value but the empty one turns colours off. */
export function hasColours(terminal: boolean): boolean {
  return terminal && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}
