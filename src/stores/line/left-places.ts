import type { Clock } from '../../base/time/clock.js'
import type { Place } from './place.js'

/** How long a place may outlive its call: it lives until its process would have looked, and for a while more. */
const KEPT_MS = 40_000

/** The most places that it remembers: calls that give up a thousand times a second must not fill the memory. */
const MOST = 10_000

interface Left {
  readonly until: number
  readonly giveBack: () => Promise<unknown>
}

/**
 * The places that their calls have left. One of them may still stand in line: the request that took it out failed, or a copy of the request
 * that asked for it came later (rule X1). This gives back a grant to it at once; otherwise nobody would have the lock while the grant lasts.
 */
export class LeftPlaces {
  readonly #left = new Map<string, Left>()
  readonly #givingBack = new Map<string, Promise<void>>()

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Nobody waits on that place any more. */
  add(place: Place, key: string, giveBack: Left['giveBack']): void {
    const now = this.clock.now()
    for (const [oldest, { until }] of this.#left) {
      if (until > now && this.#left.size < MOST) break
      this.#left.delete(oldest)
    }
    const id = idOf(place, key)
    this.#left.delete(id)
    this.#left.set(id, { until: now + KEPT_MS, giveBack })
  }

  /** Forgets a place, since a call asks for it again. Resolves when this has given back an earlier grant. */
  delete(place: Place, key: string): Promise<void> | undefined {
    if (this.#left.size === 0 && this.#givingBack.size === 0) return undefined
    const id = idOf(place, key)
    this.#left.delete(id)
    return this.#givingBack.get(id)
  }

  get empty(): boolean {
    return this.#left.size === 0
  }

  /** Gives back a grant to that place, in whichever line, if its call has left. */
  granted(place: Place, key: string): void {
    const id = idOf(place, key)
    const left = this.#left.get(id)
    if (!left || this.#givingBack.has(id)) return
    const work = left
      .giveBack()
      .then(() => undefined, this.onError)
      .finally(() => this.#givingBack.delete(id))
    this.#givingBack.set(id, work)
  }
}

function idOf(place: Place, key: string): string {
  return `${place} ${key}`
}
