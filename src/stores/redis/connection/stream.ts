import { isExiting } from '../../../base/time/at-exit.js'
import { nextTick } from '../../../base/time/machine-time.js'

/** How Holdfast writes to a client's socket. */
interface Stream {
  cork?(): void
  uncork?(): void
  destroy?(): void
  unref?(): void
}

/** The socket of a client that has one: not before it has connected, and not a cluster, whose nodes have theirs. */
export function streamOf(client: object): Stream | undefined {
  const stream = 'stream' in client ? client.stream : undefined
  return isStream(stream) ? stream : undefined
}

function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null
}

/** How many commands leave together at most: the server begins with them while the client makes the next ones. */
const PIECE = 32

/**
 * Commands of one turn of the event loop leave in pieces of several, but the first one leaves at once, since no other may follow. Answers
 * in one packet let many calls continue at once, and a system call for each of their commands would cost more than all the rest.
 */
export class Batch {
  #begun = false
  #corked: Stream | undefined
  #size = 0
  readonly #end = (): void => {
    this.#begun = false
    this.#send()
  }

  constructor(private readonly client: () => object) {}

  /** Call it before you write a command. */
  add(): void {
    if (isExiting()) {
      this.#send()
      return
    }
    if (!this.#begun) {
      this.#begun = true
      // After all work that the answers started: microtasks end before this.
      nextTick(this.#end)
      return
    }
    if (this.#size === PIECE) this.#send()
    if (this.#size === 0) {
      this.#corked = streamOf(this.client())
      this.#corked?.cork?.()
    }
    this.#size += 1
  }

  #send(): void {
    this.#size = 0
    this.#corked?.uncork?.()
    this.#corked = undefined
  }
}
