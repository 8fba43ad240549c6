import process from 'node:process'
import { createLogUpdate } from 'log-update'
import type { Crew } from './crew.js'
import type { Palette } from './palette.js'

/** On a terminal the lines of the workers, drawn anew all the time; elsewhere one line each second. */
export class Scoreboard {
  /** A terminal may be of no size, as under a supervisor: what is drawn there is seen by nobody. */
  readonly #live = process.stdout.isTTY === true && process.stdout.rows > 8
  readonly #screen = createLogUpdate(process.stdout)
  #timer: NodeJS.Timeout | undefined
  #startedAt = 0
  #title = ''

  constructor(
    private readonly crew: Crew,
    private readonly palette: Palette,
  ) {}

  /** Shows progress from now on, under that title. */
  start(title: string): void {
    this.#title = title
    this.#startedAt = performance.now()
    this.#timer = setInterval(() => this.#show(), this.#live ? 100 : 1_000)
  }

  /** A line that stays. */
  say(line: string): void {
    if (this.#live) this.#screen.persist(line)
    else console.log(line)
  }

  stop(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#show()
    if (this.#live) this.#screen.done()
  }

  #show(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1)
    const { sections, updates } = this.crew.tally
    const sum = `${this.#title}  ${seconds} s  ${sections} sections, ${updates} entries made`
    if (this.#live) this.#screen([this.palette.bold(sum), ...this.#lines()].join('\n'))
    else console.log([sum, ...this.#lines().map((line) => line.trim().replaceAll(/ +/g, ' '))].join('; '))
  }

  #lines(): string[] {
    const most = Math.max(...this.crew.members.map(({ tally }) => tally.sections), 1)
    return this.crew.members.map(({ number, doing, tally }) => {
      const bar = '█'.repeat(Math.round((20 * tally.sections) / most)).padEnd(20)
      const paint = doing === 'killed' ? this.palette.red : this.palette.cyan
      const count = String(tally.sections).padStart(6)
      return `  worker ${number} ${this.#live ? paint(bar) : ''} ${count}  ${doing}`
    })
  }
}
