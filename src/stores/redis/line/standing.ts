import type { News, Watch } from '../../../port/lock-port.js'
import { ClientLine } from '../../line/client-line.js'
import { modeOf, type Place } from '../../line/place.js'
import type { LineWatch } from './line-watch.js'

export type Listener = (news?: News) => void

/** What this process knows about one lock: its places in line, and whether one is the first. */
export class Standing extends ClientLine {
  readonly listeners = new Set<Listener>()
  readonly watches = new Set<LineWatch>()
  /** The place of this process that is the first in line, if any. */
  first: Place | undefined
  /** The subscriptions to the release channels, while it is the first. */
  releases: readonly Watch[] = []

  /** @param word proves what its line tells it of grants */
  constructor(readonly word: string) {
    super()
  }

  override leave(place: Place): void {
    super.leave(place)
    if (this.first === place) this.first = undefined
  }

  tell(news?: News): void {
    for (const listener of this.listeners) listener(news)
  }

  /** Whether this process hears of the lock like a client that stands in no line. */
  get outside(): boolean {
    for (const watch of this.watches) if (watch.outside) return true
    return false
  }

  get hearsReleases(): boolean {
    for (const watch of this.watches) if (watch.hearsReleases) return true
    return false
  }

  stepOutside(): void {
    // Where releases cannot be heard either, its calls ask again and again.
    for (const watch of this.watches) void watch.stepOutside().catch(() => undefined)
  }

  /** Leaves the places of that mode, or all. Returns them. */
  leaveAll(mode: string | undefined): readonly Place[] {
    const places = this.places.filter((place) => mode === undefined || modeOf(place) === mode)
    for (const place of places) this.leave(place)
    return places
  }

  ignoreReleases(): void {
    for (const watch of this.releases) watch.close()
    this.releases = []
  }
}
