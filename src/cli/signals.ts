import { constants } from 'node:os'
import process from 'node:process'
import { SIGNAL_BASE } from './exit-codes.js'

/** Signals that end a process which does nothing about them, as far as they are sent to be obeyed. */
const ENDING = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const
/** Signals worth passing on that end nothing. */
const OTHERS = ['SIGCONT'] as const
/** What a terminal sends to all that runs in its foreground when Ctrl-C or Ctrl-\ is typed. */
const TYPED: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** What shells report for a process that this signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return SIGNAL_BASE + constants.signals[signal]
}

/**
 * The signals sent to this program. First they abort what it waits for; once there is a command, they are the command's, which
 * decides by itself what to make of them.
 */
export class Signals implements Disposable {
  /** The first one that was meant to end the program while nobody else took the signals. */
  received: NodeJS.Signals | undefined
  readonly #controller = new AbortController()
  #forward: ((signal: NodeJS.Signals) => void) | undefined

  constructor() {
    for (const signal of [...ENDING, ...OTHERS]) process.on(signal, this.#onSignal)
  }

  /** Aborts at the first of them. */
  get aborted(): AbortSignal {
    return this.#controller.signal
  }

  /** From now on signals are passed on. */
  forwardTo(send: (signal: NodeJS.Signals) => void): void {
    this.#forward = send
  }

  [Symbol.dispose](): void {
    for (const signal of [...ENDING, ...OTHERS]) process.off(signal, this.#onSignal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#forward) {
      // On a terminal the command was sent this one too: twice may mean something else to it than once.
      const hasItAlready = process.stdin.isTTY === true && TYPED.has(signal)
      if (!hasItAlready) this.#forward(signal)
    } else if (ENDING.some((each) => each === signal)) {
      this.received ??= signal
      this.#controller.abort()
    }
  }
}
