import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'

const fixture = new URL('./observer.fixture.ts', import.meta.url)

/** A process that looks at a lock's time to live while this one cannot. */
export class Observer {
  readonly #lines: string[] = []
  readonly #child: ChildProcess

  constructor(host: string, port: number, name: string) {
    this.#child = spawn(process.execPath, [programOf(fixture), host, String(port), name], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    if (stdout) createInterface(stdout).on('line', (line) => this.#lines.push(line))
  }

  /** Resolves when it has looked once. */
  async looking(): Promise<void> {
    await eventually(() => this.#lines.includes('looking'), Boolean, 15_000)
  }

  /** Ends it, and tells how often it looked and what was the least time it saw: below zero when there was no lock. */
  async stop(): Promise<{ looks: number; leastMs: number }> {
    this.#child.stdin?.end()
    return JSON.parse((await eventually(() => this.#lines[1])) ?? '')
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
