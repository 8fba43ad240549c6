import type { AcquireRequest, BusyReply, News, StoreLine, Watch } from '../ports/lock-port.js'
import { modeOf, ownerOf, type Place } from '../rows/place.js'
import { MemoryWatches } from './announcements.js'
import { LONGEST_LOOK_MS, type Told } from './line.js'
import { channelOf, type MemoryLines } from './lines.js'

export interface LineSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place looks for the first time. */
  readonly firstLeaseMs: number
}

/** The places of one client, in one mode, in the lines of the locks of a kind. */
export class MemoryPlaces<P extends Place> implements StoreLine {
  readonly placeMs = LONGEST_LOOK_MS
  protected readonly watches: MemoryWatches<Told<P>>

  constructor(
    private readonly lines: MemoryLines<P>,
    private readonly mode: string,
    private readonly settings: LineSettings,
  ) {
    this.watches = new MemoryWatches(lines.channels)
  }

  hears(name: string): boolean {
    return this.lines.channels.count(this.channelOf(name)) > 0
  }

  /** A refused request that waits stands in line. Adds when to look. */
  stand(place: P, { name }: AcquireRequest, busy: BusyReply): BusyReply {
    const { firstLeaseMs } = this.settings
    const againMs = this.lines.open(name).stand(place, busy.remainingMs, firstLeaseMs)
    return { ...busy, againMs }
  }

  /** Calls back on messages about the process's places. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.watches.watch(this.channelOf(name), (told) => {
      if (told && 'asked' in told) return
      if (!told || !('letIn' in told)) onNews(told)
      else if (modeOf(told.letIn) === this.mode) onNews({ grantedTo: ownerOf(told.letIn) })
    })
  }

  close(): void {
    this.watches.close()
  }

  protected channelOf(name: string): string {
    return channelOf(name, this.settings.clientId)
  }
}

/** The same, in lines of locks that may stay with a process. */
export class MemoryLingeringPlaces<P extends Place> extends MemoryPlaces<P> {
  /** Calls back on every message about that lock. */
  hearAsks(name: string, onAsk: () => void): Watch {
    return this.watches.watch(this.channelOf(name), () => onAsk())
  }
}
