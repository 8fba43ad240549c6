import type { TimerHandle } from '../../base/time/schedule.js'
import type { News, Watch } from '../../port/lock-port.js'
import type { CellName, CellWatch } from './cells.js'
import type { Places } from './places.js'

interface HeardTerms {
  readonly space: CellName['space']
  /** How long the watch of a value outlives its last listener. */
  readonly lingerMs: number
  /** The value may have changed. */
  changed(name: string): void
  /** The watch of the value has ended. */
  unheard?(name: string): void
}

/** One client's news of one value. */
interface Heard {
  readonly cell: CellWatch
  readonly listeners: Set<(news?: News) => void>
  inForce: boolean
  lingering: TimerHandle | undefined
}

/** The values of one kind to which a client listens: one watch for each, however many listen. */
export class HeardCells {
  readonly #heard = new Map<string, Heard>()

  constructor(
    private readonly places: Places,
    private readonly terms: HeardTerms,
  ) {}

  has(name: string): boolean {
    return this.#heard.has(name)
  }

  inForce(name: string): boolean {
    return this.#heard.get(name)?.inForce === true
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    const { schedule } = this.places.settings
    const { lingerMs } = this.terms
    const heard = this.#heard.get(name) ?? this.#hear(name)
    // One function may watch twice: each watch counts for itself.
    const own = (news?: News): void => onNews(news)
    heard.listeners.add(own)
    schedule.cancel(heard.lingering)
    heard.lingering = undefined
    return {
      confirmed: heard.cell.confirmed,
      get inForce() {
        return heard.inForce
      },
      close: () => {
        if (!heard.listeners.delete(own) || heard.listeners.size > 0) return
        if (lingerMs === 0) this.#unhear(name, heard)
        else heard.lingering = schedule.at(schedule.clock.now() + lingerMs, () => this.#unhear(name, heard))
      },
    }
  }

  tell(name: string, news?: News): void {
    for (const hear of [...(this.#heard.get(name)?.listeners ?? [])]) hear(news)
  }

  #hear(name: string): Heard {
    const { space, changed } = this.terms
    const cell = this.places.link.cells.watch({ space, name }, () => changed(name))
    const heard: Heard = { cell, listeners: new Set(), inForce: false, lingering: undefined }
    this.#heard.set(name, heard)
    cell.confirmed.then(
      () => {
        heard.inForce = true
      },
      () => this.#unhear(name, heard),
    )
    return heard
  }

  #unhear(name: string, heard: Heard): void {
    if (this.#heard.get(name) !== heard) return
    this.#heard.delete(name)
    heard.inForce = false
    heard.cell.close()
    this.places.settings.schedule.cancel(heard.lingering)
    this.terms.unheard?.(name)
  }
}
