import { constants } from 'node:os'
import process from 'node:process'
import { isatty } from 'node:tty'
import { SIGNAL_BASE } from './exit-codes.js'
import { Witness } from './witness.js'

/** Signals that ask a process to end, and do end one that does not handle them. */
const ENDING = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const
/**
 * The other signals that this program passes on. They end nothing, so a process may get one twice. SIGPIPE is not among them: the system
 * sends it because nobody reads this program's output, and it would end a command that can still write. On Windows each of them would end
 * the command.
 */
const OTHERS = process.platform === 'win32' ? [] : (['SIGCONT', 'SIGWINCH'] as const)
/** The signals that a terminal sends to its foreground processes for Ctrl-C and Ctrl-\. */
const TYPED: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** A repeat this soon after a signal is not a second request: timeout(1) sends a signal twice. */
const SAME_MS = 250

/** The exit code that shells report for a process that this signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return SIGNAL_BASE + constants.signals[signal]
}

/** Handles a signal. `toAll`: whether it was sent to the whole process group. */
export type TakeSignal = (signal: NodeJS.Signals, toAll: Promise<boolean>) => void

/**
 * The signals sent to this program. Before the command runs, they abort the wait for the lock; while it runs, they are passed on to it;
 * after its end, they abort the wait for the release. After a signal has aborted a wait, the next one ends the program at once.
 */
export class Signals implements Disposable {
  /** The first signal to end the program that was not passed on. */
  received: NodeJS.Signals | undefined
  readonly #controller = new AbortController()
  #receivedAt = 0
  #take: TakeSignal | undefined
  #witness: Witness | undefined
  #exitCode: number | undefined

  constructor() {
    for (const signal of [...ENDING, ...OTHERS]) process.on(signal, this.#onSignal)
  }

  /** Aborts at the first of them. */
  get aborted(): AbortSignal {
    return this.#controller.signal
  }

  /** Passes signals on from now on. */
  forwardTo(take: TakeSignal): void {
    this.#take = take
    this.#witness = new Witness()
  }

  /** Handles signals itself again; the program now ends with that code in any case. */
  takeBack(exitCode: number): void {
    this.#take = undefined
    this.#witness?.[Symbol.dispose]()
    this.#exitCode = exitCode
  }

  [Symbol.dispose](): void {
    this.#witness?.[Symbol.dispose]()
    for (const signal of [...ENDING, ...OTHERS]) process.off(signal, this.#onSignal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#take && this.#witness) {
      const typed = isatty(0) && TYPED.has(signal)
      this.#take(
        signal,
        this.#witness.toAll(signal).then((toAll) => toAll ?? typed),
      )
    } else if (ENDING.some((each) => each === signal)) {
      this.#end(signal)
    }
  }

  #end(signal: NodeJS.Signals): void {
    const now = performance.now()
    if (this.received === undefined) {
      this.received = signal
      this.#receivedAt = now
      this.#controller.abort()
    } else if (now - this.#receivedAt > SAME_MS) {
      process.exit(this.#exitCode ?? exitCodeOfSignal(signal))
    }
  }
}
