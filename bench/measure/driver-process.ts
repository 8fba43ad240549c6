import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Command } from '../drivers/commands.js'
import type { Done, Line, Order, Ready, Unsupported } from '../drivers/order.js'

const MOST_STDERR = 2_000
/** Where the project lies on this machine is nobody's business: what a driver says before it ends is published. */
const root = fileURLToPath(new URL('../../', import.meta.url))
/** How long a driver may take to end. */
const ENDING_MS = 600

/** A driver, from its start to its end. */
export class DriverProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<unknown>
  #stderr = ''

  constructor(command: Command, order: Order) {
    this.#child = spawn(command.file, [...command.args, JSON.stringify(order)])
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.on('error', (error) => {
      this.#stderr += error.message
    })
    // A driver that has ended is told nothing any more.
    this.#child.stdin.on('error', () => {})
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-MOST_STDERR)
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async ready(): Promise<Ready | Unsupported> {
    const line = await this.#line()
    if ('ready' in line || 'unsupported' in line) return line
    throw new Error('the driver said `done` before it was ready')
  }

  go(at: number): void {
    this.#child.stdin.write(`go ${at}\n`)
  }

  async done(): Promise<Done> {
    const line = await this.#line()
    if ('done' in line) return line
    throw new Error('the driver said something else than `done`')
  }

  /** Tells it that its figures have been read, so that it closes what it has open. */
  async end(): Promise<void> {
    this.#child.stdin.end()
    let limit: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      limit = setTimeout(resolve, ENDING_MS)
    })
    await Promise.race([this.#ended, late])
    clearTimeout(limit)
  }

  /** Ends it if it has not ended. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #line(): Promise<Line> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true)
        throw new Error(
          `the driver ended early: ${this.#stderr.replaceAll(root, '').trim() || 'it said nothing'}`,
        )
      // Other runtimes' libraries may print something of their own.
      if (value.startsWith('{')) return JSON.parse(value)
    }
  }
}
