import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import { aFence, aText, aTime, jsonIn, partsOf } from '../rows/parts.js'
import type { RowSession, Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import type { Cell, Cells, CellWrite } from './cells.js'

const aValue = partsOf({}, { fence: aFence, rest: aText })
const anEnd = partsOf({}, { until: aTime })

const NOBODY: ReadonlySet<string> = new Set()

/** Cells as rows. */
class CellTable implements VersionedTable {
  constructor(private readonly cells: Cells) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const now = this.cells.now()
    const cell = await this.cells.read({ space: keyspace, name })
    return { packed: rowIn(cell), version: cell.version, now, unreachable: NOBODY }
  }

  async write(keyspace: Keyspace, name: string, version: bigint, packed: Packed): Promise<boolean> {
    const write = writeOf(packed, this.cells.now())
    return (await this.cells.write({ cell: { space: keyspace, name }, version, ...write })) !== undefined
  }
}

/** The cells of a link as the rows of one client. They announce nothing: waiting calls watch the cells. */
export function rowsIn(cells: Cells, settings: StoreSettings): RowSession {
  const compareAndSet = new CompareAndSet(new CellTable(cells), settings)
  return {
    change: (shape, name, change) => compareAndSet.change(shape, name, change),
    names: async function* () {},
    close: async () => undefined,
  }
}

/** The part of a row that its cell stores. */
export function writeOf({ fence, rest }: Packed, now: number): Pick<CellWrite, 'text' | 'keepMs'> {
  const until = rest === undefined ? Infinity : (jsonIn(rest, 'rest', anEnd).until ?? Infinity)
  const text = JSON.stringify({ ...(fence !== undefined && { fence: String(fence) }), rest })
  return {
    text: fence === undefined && rest === undefined ? undefined : text,
    keepMs: Math.max(until - now, 0),
  }
}

/** The row that a cell says. */
export function rowIn({ text }: Cell): Packed | undefined {
  if (text === undefined) return undefined
  const { fence, rest } = jsonIn(text, 'the value', aValue)
  return {
    owner: undefined,
    holds: 0,
    endsAt: undefined,
    fence: fence === undefined ? undefined : BigInt(fence),
    waiting: [],
    rest,
  }
}
