import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import { aFence, aText, aTime, jsonIn, partsOf } from '../rows/parts.js'
import { permitsIn, type Taken } from '../rows/permits.js'
import type { RowSession, Versioned, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Packed } from '../rows/shape.js'
import type { Cell, Cells } from './cells.js'
import { ownerOf } from './key.js'
import type { Line } from './line.js'
import { takersIn } from './turns.js'

const aValue = partsOf({}, { fence: aFence, rest: aText })
const anEnd = partsOf({}, { until: aTime })

const NOBODY: ReadonlySet<string> = new Set()
const semaphores = permitsIn('semaphore')

/** Cells as rows. */
class CellTable implements VersionedTable {
  constructor(private readonly cells: Cells) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const now = this.cells.now()
    const address = { space: keyspace, name }
    const beside = keyspace === 'semaphore' && (await this.cells.readBeside(address, { keyspace, name }))
    const { text, version } = beside ? beside.cell : await this.cells.read(address)
    const found = text === undefined ? undefined : packedIn(text)
    const packed = found && beside ? withTakers(found, beside.line) : found
    return { packed, version, now, unreachable: NOBODY }
  }

  async write(keyspace: Keyspace, name: string, version: bigint, packed: Packed): Promise<boolean> {
    const { fence, rest } = keyspace === 'semaphore' ? withNumber(packed) : packed
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

/** How many permits there are, taken ones included. */
export function numberIn({ text }: Cell, now: number): number {
  const { available = 0, goneAt = Infinity } = text === undefined ? {} : semaphores.unpack(packedIn(text))
  return goneAt <= now ? 0 : available
}

/**
 * What a semaphore's row says, as other stores keep it: its cell says how many permits there are, and its line who has taken how many. (Who had
 * some when the number was changed has them, whatever the number is now.)
 */
function withTakers(packed: Packed, line: Line): Packed {
  const body = semaphores.unpack(packed)
  const { available } = body
  if (available === undefined) return packed
  const admitted = new Set(takersIn(line, available))
  const taken: Record<string, Taken> = {}
  let left = available
  for (const entry of line) {
    const owner = ownerOf(entry.key)
    if (!admitted.has(entry) && !body.taken[owner]) continue
    const { permits = 1 } = entry
    taken[owner] = { permits }
    left -= permits
  }
  return semaphores.pack({ ...body, taken, available: left })
}

function withNumber(packed: Packed): Packed {
  const body = semaphores.unpack(packed)
  if (body.available === undefined) return packed
  const taken = Object.values(body.taken).reduce((sum, { permits }) => sum + permits, 0)
  return semaphores.pack({ ...body, available: body.available + taken })
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
