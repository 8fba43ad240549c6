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

/**
 * What is written to one connection within a turn of the event loop leaves in two pieces: the first command at once, since
 * nothing may follow it, and all others together. Answers that come in one packet make many calls go on at once, and a system
 * call for each of their commands would cost more than all the rest.
 */
export class Batch {
  #begun = false
  #corked: Stream | undefined
  readonly #end = (): void => {
    const stream = this.#corked
    this.#begun = false
    this.#corked = undefined
    stream?.uncork?.()
  }

  constructor(private readonly client: object) {}

  /** To be called before something is written. */
  add(): void {
    if (!this.#begun) {
      this.#begun = true
      // After all that the answers set going: microtasks run out before this.
      process.nextTick(this.#end)
    } else if (!this.#corked) {
      this.#corked = streamOf(this.client)
      this.#corked?.cork?.()
    }
  }
}
