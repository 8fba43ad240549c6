import { Listeners } from '../../src/base/collections/listeners.js'
import type { Clock } from '../../src/base/time/clock.js'
import { queueMicrotask } from '../../src/base/time/machine-time.js'
import type { Cell, CellName, CellWrite } from '../../src/stores/session/cells.js'
import { Term } from './term.js'

interface Stored {
  readonly text: string
  readonly version: bigint
  readonly term: Term | undefined
}

/** The cells of an ensemble. */
export class StoredCells {
  #lastVersion = 0n
  readonly #stored = new Map<string, Stored>()
  readonly #watches = new Listeners<void>()

  constructor(private readonly clock: Clock) {}

  read(cell: CellName): Cell {
    const { text, version = 0n } = this.#stored.get(idOf(cell)) ?? {}
    return { text, version }
  }

  write({ cell, version, text, keepMs }: CellWrite): bigint | undefined {
    const id = idOf(cell)
    const before = this.#stored.get(id)
    if (version !== undefined && version !== (before?.version ?? 0n)) return undefined
    before?.term?.stop()
    this.#stored.delete(id)
    this.#lastVersion += 1n
    if (text !== undefined) {
      const term = keepMs === Infinity ? undefined : new Term(this.clock, keepMs, () => this.#end(cell))
      this.#stored.set(id, { text, version: this.#lastVersion, term })
    }
    this.#watches.tell(id)
    return text === undefined ? 0n : this.#lastVersion
  }

  watch(cell: CellName, onChange: () => void): { close(): void } {
    return heard(this.#watches, idOf(cell), onChange)
  }

  #end(cell: CellName): void {
    this.write({ cell, version: undefined, text: undefined, keepMs: Infinity })
  }
}

function idOf({ space, name }: CellName): string {
  return `${space} ${name}`
}

/** Hears what happens under that name after the current step, as a message would arrive. */
export function heard(listeners: Listeners<void>, name: string, hear: () => void): { close(): void } {
  const own = (): void => queueMicrotask(hear)
  listeners.add(name, own)
  return { close: () => void listeners.delete(name, own) }
}
