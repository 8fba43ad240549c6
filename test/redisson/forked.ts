import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { programOf } from '../setup/programs.js'

/** A real child process that runs a fixture, is given its task as JSON and talks back by messages. It ends with its test. */
export class Forked {
  static readonly #alive = new Set<Forked>()
  readonly #messages: unknown[] = []
  readonly #child: ChildProcess
  readonly #exited: Promise<number | null>
  #errors = ''
  #onMessage: (() => void) | undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stderr?.on('data', (bytes) => {
      this.#errors += String(bytes)
    })
    child.on('message', (message) => {
      this.#messages.push(message)
      this.#onMessage?.()
    })
    // Not `exit`: what it said and printed last may come after that.
    this.#exited = once(child, 'close').then(([code]) => {
      Forked.#alive.delete(this)
      this.#onMessage?.()
      return typeof code === 'number' ? code : null
    })
  }

  /** @param atEnd of the test; a test beside which others run has a hook of its own */
  static start(fixture: URL, task: object, atEnd: typeof onTestFinished = onTestFinished): Forked {
    const child = fork(programOf(fixture), [JSON.stringify(task)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const forked = new Forked(child)
    Forked.#alive.add(forked)
    atEnd(() => forked.kill())
    return forked
  }

  /** Kills what is left; for `afterEach`. */
  static async killAll(): Promise<void> {
    await Promise.all([...Forked.#alive].map((forked) => forked.kill()))
  }

  /** The next message of the child; rejects with what it printed when it ends without one. */
  async told(): Promise<unknown> {
    while (this.#messages.length === 0) {
      if (!Forked.#alive.has(this)) throw new Error(`the child ended without a word:\n${this.#errors}`)
      await new Promise<void>((resolve) => {
        this.#onMessage = resolve
      })
    }
    return this.#messages.shift()
  }

  send(message: string): void {
    this.#child.send(message)
  }

  /** Its exit code, once it has ended; null when a signal ended it. */
  async ended(): Promise<number | null> {
    return await this.#exited
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors
  }
}
