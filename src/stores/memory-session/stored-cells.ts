import type { Clock } from '../../base/time/clock.js'
import { queueMicrotask } from '../../base/time/machine-time.js'
import type { Cell, CellName, CellWrite } from '../session/cells.js'
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
  readonly #watches = new Map<string, Set<() => void>>()

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
    // After the current step, as a message would arrive.
    for (const onChange of this.#watches.get(id) ?? []) queueMicrotask(onChange)
    return text === undefined ? 0n : this.#lastVersion
  }

  watch(cell: CellName, onChange: () => void): { close(): void } {
    const id = idOf(cell)
    const watches = this.#watches.get(id) ?? new Set()
    this.#watches.set(id, watches.add(onChange))
    return {
      close: () => {
        watches.delete(onChange)
        if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id)
      },
    }
  }

  #end(cell: CellName): void {
    this.write({ cell, version: undefined, text: undefined, keepMs: Infinity })
  }
}

function idOf({ space, name }: CellName): string {
  return `${space} ${name}`
}
