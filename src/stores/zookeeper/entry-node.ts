import type { Entry, Mode } from '../session/line.js'

/**
 * How an entry's node is called, as Curator calls them: `_c_`, what tells it from all others, what it is for, and the number that the
 * server gave it. A read within a write has the write's number behind its key, what is for permits their number, and what its client may keep
 * beyond its release a plus.
 */
const PATTERN =
  /^(?:_c_(?<key>.+?)(?:~(?<within>\d+)|\*(?<permits>\d+)|(?<keeps>\+))?-)?(?<mark>lock-|__WRIT__|__READ__)(?<number>-?\d{1,10})$/

const MARKS: Readonly<Record<Mode, string>> = { lock: 'lock-', write: '__WRIT__', read: '__READ__' }
const MODES = new Map<string | undefined, Mode>([
  ['lock-', 'lock'],
  ['__WRIT__', 'write'],
  ['__READ__', 'read'],
])

/** The server counts in 32 bits, and goes on below zero. */
const NUMBERS = 2n ** 32n

/** The name in the request; the server adds the number. */
export function prefixOf({ key, mode, within, permits, keeps }: Omit<Standing, 'order'>): string {
  const inside = within === undefined ? '' : `~${BigInt.asUintN(32, within)}`
  const many = permits === undefined ? '' : `*${permits}`
  return `_c_${key}${inside}${many}${keeps ? '+' : ''}-${MARKS[mode]}`
}

/** The name of that entry's node. */
export function nodeOf(entry: Standing): string {
  const { key, order } = entry
  // One without what tells it from all others is its own key.
  if (PATTERN.exec(key)?.groups?.['key'] === undefined && PATTERN.test(key)) return key
  const number = Number(BigInt.asIntN(32, order))
  const digits = String(Math.abs(number)).padStart(number < 0 ? 9 : 10, '0')
  return `${prefixOf(entry)}${number < 0 ? '-' : ''}${digits}`
}

/** The entries among the nodes of a lock, in the order in which they came, without nodes of other programs. */
export function lineOf<Rest>(nodes: readonly string[], restOf: (key: string) => Rest): (Standing & Rest)[] {
  const found = nodes.flatMap((node) => read(node) ?? [])
  // Where the count has just begun anew the small numbers come after the great ones.
  const anew = found.some(({ order }) => order >= NUMBERS - NUMBERS / 4n)
  const at = (order: bigint): bigint => (anew && order < NUMBERS / 4n ? order + NUMBERS : order)
  return found
    .map((entry) => ({
      ...entry,
      order: at(entry.order),
      within: entry.within === undefined ? undefined : at(entry.within),
      ...restOf(entry.key),
    }))
    .sort((one, other) => Number(one.order - other.order))
}

type Standing = Omit<Entry, 'fence' | 'remainingMs'>

function read(node: string): Standing | undefined {
  const { key = node, within, permits, keeps, mark, number } = PATTERN.exec(node)?.groups ?? {}
  const mode = MODES.get(mark)
  if (mode === undefined || number === undefined) return undefined
  const order = BigInt.asUintN(32, BigInt(number))
  return {
    key,
    mode,
    order,
    within: within === undefined ? undefined : BigInt(within),
    permits: permits === undefined ? undefined : Number(permits),
    keeps: keeps !== undefined,
  }
}
