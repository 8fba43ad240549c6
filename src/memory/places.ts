import type { AcquireRequest, BusyReply, News, StoreLine, Watch } from '../ports/store.js'
import { MemoryWatches } from './announcements.js'
import { LONGEST_LOOK_MS, type Told } from './line.js'
import { channelOf, type MemoryLines } from './lines.js'
import { modeOf, ownerOf, type Place } from './place.js'

export interface LineSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place is looked after. */
  readonly firstLeaseMs: number
  /** Whether each call has a place of its own; else the calls of a process share one. */
  readonly placePerCall: boolean
}

/** The places of one client, in one mode, in the lines of the locks of a kind. */
export class MemoryPlaces<P extends Place> implements StoreLine {
  readonly placePerCall: boolean
  readonly placeMs = LONGEST_LOOK_MS
  readonly #watches: MemoryWatches<Told<P>>

  constructor(
    private readonly lines: MemoryLines<P>,
    private readonly mode: string,
    private readonly settings: LineSettings,
  ) {
    this.placePerCall = settings.placePerCall
    this.#watches = new MemoryWatches(lines.channels)
  }

  hears(name: string): boolean {
    return this.lines.channels.count(this.#channelOf(name)) > 0
  }

  /** One that was refused and waits stands in line; it is told when to look. */
  stand(place: P, { name }: AcquireRequest, busy: BusyReply): BusyReply {
    const { firstLeaseMs } = this.settings
    const againMs = this.lines.open(name).stand(place, busy.remainingMs, firstLeaseMs)
    return { ...busy, againMs }
  }

  /** Hears what becomes of the process's places. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#watches.watch(this.#channelOf(name), (told) => {
      if (!told || !('letIn' in told)) onNews(told)
      else if (modeOf(told.letIn) === this.mode) onNews({ grantedTo: ownerOf(told.letIn) })
    })
  }

  close(): void {
    this.#watches.close()
  }

  #channelOf(name: string): string {
    return channelOf(name, this.settings.clientId)
  }
}
