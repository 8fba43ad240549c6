/**
 * The wake-up semaphore a waiter sleeps on. It keeps at most one permit: a release that is announced while the waiter is busy
 * must wake it when it next lies down, but two announcements are no more news than one.
 */
export class WakeUpSemaphore {
  #permit = false
  #sleeper: (() => void) | undefined

  /** Gives a permit: wakes the sleeper, or lets the next one pass. */
  wake(): void {
    const sleeper = this.#sleeper
    if (sleeper) {
      this.#sleeper = undefined
      sleeper()
    } else {
      this.#permit = true
    }
  }

  /** Takes the permit away: what it announced is about to be looked at anyway. */
  drain(): void {
    this.#permit = false
  }

  /** Takes a permit that is there. False when there is none: then {@link sleepOn}. */
  takePermit(): boolean {
    const permit = this.#permit
    this.#permit = false
    return permit
  }

  /** Calls `sleeper` with the next permit. One sleeper at a time: a second call takes the first one's place. */
  sleepOn(sleeper: () => void): void {
    this.#sleeper = sleeper
  }

  /** The sleeper has got up by itself: the next permit is kept for whoever sleeps next, not given to one who left. */
  getUp(): void {
    this.#sleeper = undefined
  }
}
