import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import { aFence, aText, aTime, jsonIn, partsOf } from '../rows/parts.js'
import type { RowSession, VersionedTable } from '../rows/rows.js'
import { NO_ROW, type Packed } from '../rows/shape.js'
import type { Cell, Cells, CellWrite } from './cells.js'

const aValue = partsOf({}, { fence: aFence, rest: aText })
const anEnd = partsOf({}, { until: aTime })

const NOBODY: ReadonlySet<string> = new Set()

/** The cells of a link as the rows of one client. They announce nothing: waiting calls watch the cells. */
export function rowsIn(cells: Cells, settings: StoreSettings): RowSession {
  const table: VersionedTable = {
    async read(keyspace, name) {
      const now = cells.now()
      const cell = await cells.read({ space: keyspace, name })
      return { packed: rowIn(cell), version: cell.version, now, unreachable: NOBODY }
    },
    async write(keyspace, name, version, packed) {
      const write = writeOf(packed, cells.now())
      return (await cells.write({ cell: { space: keyspace, name }, version, ...write })) !== undefined
    },
  }
  const compareAndSet = new CompareAndSet(table, settings)
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
  return { ...NO_ROW, fence: fence === undefined ? undefined : BigInt(fence), rest }
}
