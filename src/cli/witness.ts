import { spawn } from 'node:child_process'

/** How far apart two processes may learn of one signal. */
const SAME_MS = 1_000

/** `toAll`: undefined when that cannot be known. */
interface Question {
  readonly signal: NodeJS.Signals
  answer(toAll: boolean | undefined | Promise<boolean | undefined>): void
}

/**
 * Tells a signal that was sent to the whole process group (Ctrl-C, a terminal that closes, timeout(1)) from one that was sent to this
 * process alone: the command has the former already, and twice may mean something else to it than once. No process is told which
 * it was. So one more stands in the group, which only echoes what it is sent: a signal to the group ends it before it reads on.
 */
export class Witness implements Disposable {
  /** Undefined: there is nobody to ask. */
  #put: ((question: Question) => void) | undefined
  #end: () => void = () => undefined
  #over = false
  /** What ended the one before, which nobody has asked about: its end may be known before the signal is. */
  #ended: { readonly by: NodeJS.Signals; readonly at: number } | undefined

  constructor() {
    this.#begin()
  }

  /** Whether this signal, which this process has just got, was sent to its whole group; undefined when that cannot be known. */
  toAll(signal: NodeJS.Signals): Promise<boolean | undefined> {
    const { by, at = 0 } = this.#ended ?? {}
    if (by === signal) {
      this.#ended = undefined
      if (performance.now() - at < SAME_MS) return Promise.resolve(true)
    }
    return new Promise((answer) => {
      if (this.#put) this.#put({ signal, answer })
      else answer(undefined)
    })
  }

  [Symbol.dispose](): void {
    this.#over = true
    this.#put = undefined
    this.#end()
  }

  #begin(): void {
    const questions: Question[] = []
    // When this program ends, however that comes, there is nothing left to read, and the echo ends, too.
    const echo = spawn('cat', ['-u'], { stdio: ['pipe', 'pipe', 'ignore'] })
    echo.stdin.on('error', () => undefined)
    echo.stdout.on('data', ({ length }: Buffer) => {
      for (const { answer } of questions.splice(0, length)) answer(false)
    })
    echo.on('error', () => {
      this.#put = undefined
      for (const { answer } of questions.splice(0)) answer(undefined)
    })
    echo.on('exit', (_, endedBy) => {
      this.#put = undefined
      if (!this.#over) this.#begin()
      const asked = questions.some(({ signal }) => signal === endedBy)
      this.#ended = asked || endedBy === null ? undefined : { by: endedBy, at: performance.now() }
      // What comes right after it may be for this process alone: better told twice than swallowed.
      for (const { signal, answer } of questions.splice(0)) answer(signal === endedBy || this.toAll(signal))
    })
    this.#end = () => echo.kill('SIGKILL')
    this.#put = (question) => {
      questions.push(question)
      echo.stdin.write('?')
    }
  }
}
