import type { KeepRequest, KeptValue, ValuesPort } from '../../port/kind-ports.js'
import type { CellName } from './cells.js'
import type { Places } from './places.js'

/** Values of `computeOnce`, each in a cell. A write requires that the owner's entry has the lock of that name. */
export class SessionValuesPort implements ValuesPort {
  constructor(private readonly places: Places) {}

  async read(name: string): Promise<KeptValue | undefined> {
    const { cells } = this.places.link
    const { text: kept } = await cells.read(cellOf(name))
    if (kept === undefined) return undefined
    const { text, until }: { readonly text: string; readonly until?: number } = JSON.parse(kept)
    const remainingMs = (until ?? Infinity) - cells.now()
    return remainingMs > 0 ? { text, remainingMs } : undefined
  }

  async keep({ name, owner, text, keepMs }: KeepRequest): Promise<boolean> {
    const lock = { keyspace: 'lock', name } as const
    const { cells } = this.places.link
    const place = this.places.find({ lock, mode: 'lock', owner })
    if (!place || place.holds === 0) return false
    const until = keepMs === Infinity ? undefined : cells.now() + keepMs
    const version = await cells.write({
      cell: cellOf(name),
      version: undefined,
      text: JSON.stringify({ until, text }),
      keepMs,
      whileStands: { lock, key: place.key },
    })
    return version !== undefined
  }
}

function cellOf(name: string): CellName {
  return { space: 'computed', name }
}
