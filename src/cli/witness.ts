import { spawn } from 'node:child_process'

/** The longest time between the arrivals of one signal at two processes. */
const SAME_MS = 1_000

/** `toAll`: undefined if unknown. */
interface Question {
  readonly signal: NodeJS.Signals
  answer(toAll: boolean | undefined | Promise<boolean | undefined>): void
}

/**
 * Tells a signal that was sent to the whole process group (Ctrl-C, a terminal that closes, timeout(1)) from one that was sent to this
 * process alone. The command already has the former, and the same signal twice may mean something else. The system does not report
 * which it was, so another process in the group echoes its input: a signal to the group ends it before it can echo.
 */
export class Witness implements Disposable {
  /** Undefined if there is no witness. */
  #put: ((question: Question) => void) | undefined
  #end: () => void = () => undefined
  #over = false
  /** The signal that ended the previous echo, not yet asked about: that end may be known before the signal is. */
  #ended: { readonly by: NodeJS.Signals; readonly at: number } | undefined

  constructor() {
    this.#begin()
  }

  /** Whether the signal that this process has just received was sent to its whole group; undefined if unknown. */
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
    // When this program ends for any reason, the echo's input ends, and so does the echo.
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
      // A signal right after it may be for this process alone: passing it on twice is better than losing it.
      for (const { signal, answer } of questions.splice(0)) answer(signal === endedBy || this.toAll(signal))
    })
    this.#end = () => echo.kill('SIGKILL')
    this.#put = (question) => {
      questions.push(question)
      echo.stdin.write('?')
    }
  }
}
