/** So many quick returns in a row make a habit: what is done a few times, however fast, leaves the lock free in the store. */
const RETURNS = 8
/** What comes back later is no habit: half a slice of hand-overs by default, for twice the gap is to fit into it. */
const LONGEST_GAP_MS = 12
/** No timer is finer. */
const LEAST_KEPT_MS = 1
/** By how much of itself the longest gap fades with each return. */
const FADES = 0.1
/** The names remembered for one kind of lock. */
const MOST_NAMES = 256

/** How soon a process has come back, the last times, to a lock that it had left with none of its calls waiting. */
export class Habit {
  #leftAt: number | undefined
  #returns = 0
  #gapMs = 0

  /** The lock was released, as far as its holder knows, and nobody of this process waits for it. */
  left(now: number): void {
    this.#leftAt = now
  }

  /** A call of this process asks for it. */
  came(now: number): void {
    if (this.#leftAt === undefined) return
    const gapMs = now - this.#leftAt
    this.#leftAt = undefined
    const quick = gapMs <= LONGEST_GAP_MS
    this.#returns = quick ? this.#returns + 1 : 0
    this.#gapMs = quick ? Math.max(gapMs, this.#gapMs * (1 - FADES)) : 0
  }

  /** For how long to keep the lock for the next call; 0: none is likely enough. */
  get keepMs(): number {
    return this.#returns < RETURNS ? 0 : Math.max(2 * this.#gapMs, LEAST_KEPT_MS)
  }
}

/** The habits of one process, by the names of its locks: those of the names that it took up last. */
export class Habits {
  readonly #of = new Map<string, Habit>()

  left(name: string, now: number): void {
    let habit = this.#of.get(name)
    if (!habit) {
      const [oldest = name] = this.#of.keys()
      if (this.#of.size === MOST_NAMES) this.#of.delete(oldest)
      habit = new Habit()
      this.#of.set(name, habit)
    }
    habit.left(now)
  }

  came(name: string, now: number): void {
    this.#of.get(name)?.came(now)
  }

  keepMs(name: string): number {
    return this.#of.get(name)?.keepMs ?? 0
  }

  end(name: string): void {
    this.#of.delete(name)
  }
}
