import { isTransient } from '../../port/failure.js'
import type { ReleaseWatch } from '../queue/release-watch.js'
import { Outage } from './outage.js'

/** What one call knows of watches that failed, whichever call began them. */
export class WatchFailures {
  /** When the next one is tried. */
  againAt = -Infinity
  #outage: Outage | undefined

  /**
   * Whether the last watch has failed: then the next one is tried after a pause.
   * @throws what will not pass
   */
  heed(watch: ReleaseWatch, now: number): boolean {
    const failure = watch.takeFailure()
    if (failure === undefined) return false
    if (!isTransient(failure)) throw failure
    this.#outage ??= new Outage()
    this.#outage.failed(failure, now, now)
    this.againAt = this.#outage.retryAt(now)
    return true
  }

  answered(): void {
    this.#outage?.answered()
  }
}
