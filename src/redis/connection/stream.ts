/** What Holdfast does to a client's socket. */
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

/** How many commands leave together at most: the server is to begin with them while the next are made. */
const PIECE = 32

/**
 * What is written to one connection within a turn of the event loop leaves in pieces of several commands, but the first command
 * at once, since nothing may follow it. Answers that come in one packet make many calls go on at once, and a system call for
 * each of their commands would cost more than all the rest.
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

  /** To be called before a command is written. */
  add(): void {
    if (!this.#begun) {
      this.#begun = true
      // After all that the answers set going: microtasks run out before this.
      process.nextTick(this.#end)
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
