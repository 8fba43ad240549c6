import type { Watch } from '../../../port/lock-port.js'
import { isRefusal } from '../connection/failure.js'

/** The two ways to hear that there is reason to ask. */
export interface Ways {
  /** Messages about places in line. */
  inLine(): Watch
  /** Announcements of releases, for a client that stands in no line. */
  outside(): Watch
  /** The client may not hear of its places: they are to be left. */
  leavePlaces(): void
  /** The server refused the first way; it goes the second. */
  onRefused(error: unknown): void
  /** A release may have passed unheard. */
  onMissed(): void
  onClosed(): void
}

/** Listens for a client that stands in line, or may not and listens to releases like a client that knows of no line. */
export class LineWatch implements Watch {
  readonly confirmed: Promise<void>
  #watch: Watch
  #outside: boolean
  #closed = false
  /** Whether the server refused both ways. */
  #failed = false

  constructor(
    private readonly ways: Ways,
    outside: boolean,
  ) {
    this.#outside = outside
    this.#watch = outside ? ways.outside() : ways.inLine()
    this.confirmed = this.#watch.confirmed.catch(async (error: unknown) => {
      if (outside || !isRefusal(error)) throw error
      ways.leavePlaces()
      await this.stepOutside()
      ways.onRefused(error)
    })
  }

  get outside(): boolean {
    return this.#outside
  }

  /** Whether it hears of releases, or will at once. */
  get hearsReleases(): boolean {
    return this.#outside && !this.#failed
  }

  get inForce(): boolean {
    return this.#watch.inForce === true
  }

  doubt(): void {
    this.#watch.doubt?.()
  }

  /** Resolves when it is in force. */
  async stepOutside(): Promise<void> {
    if (this.#closed || this.#outside) return
    this.#outside = true
    this.#watch.close()
    this.#watch = this.ways.outside()
    await this.#watch.confirmed.catch((error: unknown) => {
      this.#failed = true
      // Who counted on being told asks again, and after pauses from now on.
      if (!this.#closed) this.ways.onMissed()
      throw error
    })
    if (!this.#closed) this.ways.onMissed()
  }

  close(): void {
    this.#closed = true
    this.#watch.close()
    this.ways.onClosed()
  }
}
