import process from 'node:process'
import pc from 'picocolors'
import { type Failure, stackOf } from './failure.js'
import { printable } from './printable.js'

export type Colours = ReturnType<typeof pc.createColors>

/** What can be written as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Where the program speaks: results on standard output, everything else on standard error. */
export class Output {
  readonly colours: Colours
  readonly #errorColours: Colours
  /** Whether a person watches the results appear. */
  readonly live: boolean

  constructor(readonly json: boolean) {
    this.colours = pc.createColors(hasColours(process.stdout))
    this.#errorColours = pc.createColors(hasColours(process.stderr))
    this.live = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
  }

  /** A result: for people, or one line of JSON. */
  result(text: () => string, json: Json): void {
    process.stdout.write(`${this.json ? JSON.stringify(json) : text()}\n`)
  }

  /** Something the user may want to know beside the result. */
  note(event: string, text: string, details: { readonly [key: string]: Json } = {}): void {
    if (this.json) process.stderr.write(`${JSON.stringify({ event, message: text, ...details })}\n`)
    else process.stderr.write(`holdfast: ${printable(text)}\n`)
  }

  failure(failure: Failure, error: unknown, advice: string | undefined): void {
    const { code, message, lock, exitCode } = failure
    if (this.json) {
      const about = { code, message, ...(lock === undefined ? {} : { lock }), exitCode }
      process.stderr.write(`${JSON.stringify({ error: about })}\n`)
    } else {
      const label = this.#errorColours.red('holdfast:')
      // Parsers quote their suggestions on a line of their own.
      const text = message.split('\n').map(printable).join(' ')
      process.stderr.write(`${label} ${text}\n${advice === undefined ? '' : `${advice}\n`}`)
    }
    const stack = stackOf(error)
    if (stack !== undefined) process.stderr.write(`${stack}\n`)
  }
}

/** https://no-color.org: any value but the empty one turns colours off. */
export function hasColours(stream: { isTTY?: boolean }): boolean {
  return stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}
