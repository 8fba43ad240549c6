import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import { aFence, aText, aTime, jsonIn, partsOf } from '../rows/parts.js'
import type { RowSession, Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import type { Cells } from './cells.js'
import { ownerOf } from './key.js'

const aValue = partsOf({}, { fence: aFence, rest: aText })
const anEnd = partsOf({}, { until: aTime })

const NOBODY: ReadonlySet<string> = new Set()

/** Cells as rows. What a semaphore's row says somebody has taken counts as long as an entry of that owner stands in its line. */
class CellTable implements VersionedTable {
  constructor(private readonly cells: Cells) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const now = this.cells.now()
    const address = { space: keyspace, name }
    if (keyspace !== 'semaphore') {
      const { text, version } = await this.cells.read(address)
      return { packed: text === undefined ? undefined : packedIn(text), version, now, unreachable: NOBODY }
    }
    const { cell, line } = await this.cells.readBeside(address, { keyspace, name })
    const standing = new Set<string>(line.map(({ key }) => ownerOf(key)))
    return {
      packed: cell.text === undefined ? undefined : packedIn(cell.text),
      version: cell.version,
      now,
      unreachable: NOBODY,
      ended: (owner) => !standing.has(owner),
    }
  }

  async write(keyspace: Keyspace, name: string, version: bigint, { fence, rest }: Packed): Promise<boolean> {
    const until = rest === undefined ? undefined : untilOf(rest)
    const written = await this.cells.write({
      cell: { space: keyspace, name },
      version,
      text: fence === undefined && rest === undefined ? undefined : textOf({ fence, rest }),
      keepMs: until === undefined ? Infinity : Math.max(until - this.cells.now(), 0),
    })
    return written !== undefined
  }
}

/** The cells of a link as the rows of one client. Nothing is told by them: those who wait watch the cells. */
export function rowsIn(cells: Cells, settings: StoreSettings): RowSession {
  const compareAndSet = new CompareAndSet(new CellTable(cells), settings)
  return {
    change: (shape, name, change) => compareAndSet.change(shape, name, change),
    names: async function* () {},
    close: async () => undefined,
  }
}

function textOf({ fence, rest }: Pick<Packed, 'fence' | 'rest'>): string {
  return JSON.stringify({ ...(fence !== undefined && { fence: String(fence) }), rest })
}

function packedIn(text: string): Packed {
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

function untilOf(rest: string): number | undefined {
  return jsonIn(rest, 'rest', anEnd).until
}
