import timers from 'node:timers'

/** Counts the timers that stand. To be made before Holdfast is loaded, which takes its timers from here then. */
export class StandingTimers {
  readonly #standing = new Set<unknown>()

  constructor() {
    const { setTimeout, clearTimeout } = timers
    const standing = this.#standing
    timers.setTimeout = Object.assign((callback: () => void, ms?: number) => {
      const timer = setTimeout(() => {
        standing.delete(timer)
        callback()
      }, ms)
      standing.add(timer)
      return timer
    }, setTimeout)
    timers.clearTimeout = (timer) => {
      standing.delete(timer)
      clearTimeout(timer)
    }
  }

  get count(): number {
    return this.#standing.size
  }
}
