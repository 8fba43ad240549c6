import type { News, StoreLine, Watch } from '../ports/lock-port.js'
import { newsIn } from './letters.js'
import { LONGEST_LOOK_MS } from './line.js'
import type { RowClient } from './row-client.js'
import type { Keyspace } from './shape.js'

/** The lines in which one client stands: each is kept in the row of its lock. */
export class RowLine implements StoreLine {
  readonly placeMs = LONGEST_LOOK_MS

  constructor(
    private readonly client: RowClient,
    private readonly keyspace: Keyspace,
  ) {}

  hears(name: string): boolean {
    return this.client.inbox?.open === true && this.client.letters.awaits(this.keyspace, name)
  }

  /** Calls back on messages about places in that mode. */
  watch(name: string, mode: string, onNews: (news?: News) => void): Watch {
    return this.client.watch(this.keyspace, name, (told) => {
      const read = newsIn(told, mode)
      if (read) onNews(read.news)
    })
  }
}

/** The same, for locks that may stay with a process. */
export class LingeringRowLine extends RowLine implements StoreLine {
  constructor(
    private readonly own: RowClient,
    private readonly space: Keyspace,
  ) {
    super(own, space)
  }

  /** Calls back on every message about that lock. */
  hearAsks(name: string, onAsk: () => void): Watch {
    return this.own.watch(this.space, name, onAsk)
  }
}
