import type { Entry, Line } from './line.js'

/** Whose turn it is in a line: pure functions of the line, the same for every client that looks at it. */

/** The entries in order of arrival; a read within its owner's write stands right behind that write. */
export function inTurn(line: Line): Line {
  return line.toSorted(
    (one, other) =>
      compare(one.within ?? one.order, other.within ?? other.order) ||
      Number(one.within !== undefined) - Number(other.within !== undefined) ||
      compare(one.order, other.order),
  )
}

/** The entries before this key; all of them if it is not in the line. */
export function before(line: Line, key: string): Line {
  const turns = inTurn(line)
  const at = turns.findIndex((entry) => entry.key === key)
  return at < 0 ? turns : turns.slice(0, at)
}

/**
 * The nearest entry that keeps this one out: for who reads the last before it that does not read, for everybody else the last before it.
 * Undefined: it has the lock.
 */
export function blockerOf(line: Line, entry: Entry): Entry | undefined {
  return nearest(before(line, entry.key), entry)
}

/** Whether the entry has the lock once that blocker has gone. Behind a write its owner may read on, so that who writes has to look. */
export function isLast(line: Line, blocker: Entry, entry: Entry): boolean {
  const others = line.filter(({ key }) => key !== blocker.key)
  return entry.mode !== 'write' && blockerOf(others, entry) === undefined
}

/** The entries that have permits: the first ones, as far as that number of permits goes. */
export function takersIn(line: Line, permits: number): Line {
  let wanted = 0
  return inTurn(line).filter((entry) => {
    wanted += permitsOf(entry)
    return wanted <= permits
  })
}

/**
 * The entries that keep this one from its permits, given their number; undefined: it has them. One of the last entries before it has to
 * leave: the others want too little to make room. So of equals each waits for as many entries as there are permits, however long the line is.
 */
export function inTheWayOf(line: Line, entry: Entry, permits: number): Line | undefined {
  if (takersIn(line, permits).includes(entry)) return undefined
  let watched = 0
  return before(line, entry.key)
    .toReversed()
    .filter((each) => {
      const enough = watched > permits - permitsOf(entry)
      watched += permitsOf(each)
      return !enough
    })
}

/** The entries that have the lock. */
export function holdersIn(line: Line): Line {
  const turns = inTurn(line)
  return turns.filter((entry, at) => !nearest(turns.slice(0, at), entry))
}

function nearest(ahead: Line, { mode, within }: Entry): Entry | undefined {
  if (mode !== 'read') return ahead.at(-1)
  return ahead.findLast((each) => each.mode !== 'read' && each.order !== within)
}

/** How many permits it has, or wants. */
export function permitsOf({ permits = 1 }: Entry): number {
  return permits
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}
