import { constants } from 'node:os'
import process from 'node:process'
import { isatty } from 'node:tty'
import { SIGNAL_BASE } from './exit-codes.js'
import { Witness } from './witness.js'

/** Signals that end a process which does nothing about them, as far as they are sent to be obeyed. */
const ENDING = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const
/** Signals worth passing on that end nothing. */
const OTHERS = ['SIGCONT'] as const
/** What a terminal sends to all that runs in its foreground when Ctrl-C or Ctrl-\ is typed. */
const TYPED: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** What comes this soon after a signal is no answer to what became of it: timeout(1) sends one twice. */
const SAME_MS = 250

/** What shells report for a process that this signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return SIGNAL_BASE + constants.signals[signal]
}

/** Takes a signal. `toAll`: whether it was sent to the whole process group. */
export type TakeSignal = (signal: NodeJS.Signals, toAll: Promise<boolean>) => void

/**
 * The signals sent to this program. First they abort what it waits for; once there is a command, they are the command's, which
 * decides by itself what to make of them; when it has ended, they abort what is waited for then. Where one has aborted a wait, the
 * next ends the program at once.
 */
export class Signals implements Disposable {
  /** The first one that was meant to end the program while nobody else took the signals. */
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

  /** From now on signals are passed on. */
  forwardTo(take: TakeSignal): void {
    this.#take = take
    this.#witness = new Witness()
  }

  /** Signals are meant for this program again, which now ends with that code, whatever comes. */
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
