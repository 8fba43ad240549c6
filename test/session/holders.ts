import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { until } from '../servers/until.js'
import { programOf } from '../setup/programs.js'
import type { Task, Word } from './holders.fixture.js'

/** A process with several clients that hold locks, and what it has said. */
export class Holders {
  readonly #words: Word[] = []

  private constructor(private readonly child: ChildProcess) {
    if (!child.stdout) throw new Error('its output is read')
    createInterface({ input: child.stdout }).on('line', (line) => this.#words.push(JSON.parse(line)))
  }

  /** Resolves when all of them hold. */
  static async start(task: Task): Promise<Holders> {
    const program = programOf(new URL('./holders.fixture.ts', import.meta.url))
    const child = spawn(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const holders = new Holders(child)
    try {
      await until(() => holders.#words.includes('ready'), { what: 'all hold' })
      return holders
    } catch (error) {
      await holders.stop()
      throw error
    }
  }

  /** The latest time at which the holder of that name was sure of it, as it said before it was asked to prove it. */
  sureUntil(name: string): number {
    return Math.max(...this.#about(name).flatMap((word) => ('until' in word ? [word.until] : [])))
  }

  /** When it was told of its losses. */
  lostAt(name: string): number[] {
    return this.#about(name).flatMap((word) => ('lostAt' in word ? [word.lostAt] : []))
  }

  pause(): void {
    this.child.kill('SIGSTOP')
  }

  resume(): void {
    this.child.kill('SIGCONT')
  }

  /** Ends it as a crash would. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
  }

  #about(name: string): Array<Exclude<Word, 'ready'>> {
    return this.#words.flatMap((word) => (word !== 'ready' && word.name === name ? [word] : []))
  }
}
