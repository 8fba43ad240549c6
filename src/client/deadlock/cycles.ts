import type { DeadlockLink, LockRole } from '../../base/errors/deadlock-error.js'
import { labelOf } from '../../base/identity/label.js'
import { type Edge, type HeldLock, lockKeyOf, type SeenEdge } from '../../port/edges-port.js'

/** The graph of those who wait for each other, without any I/O: an edge leads from an owner that waits to those that hold what it waits for. */

/** What `holder` has that `waiting` waits for. Readers do not stand in each other's way. */
export function holdBetween({ waitsFor }: Edge, { holds }: Edge): HeldLock | undefined {
  const key = lockKeyOf(waitsFor)
  return holds.find(
    (hold) => lockKeyOf(hold) === key && !(hold.kind === 'read lock' && waitsFor.kind === 'read lock'),
  )
}

/**
 * Cycles that lead from `start` back to it, one for each edge that it waits for: the shortest. In each, every edge waits for what the next
 * one holds. Where a lock has several holders, who waits to write waits for each of them, so that one is enough for a cycle.
 */
export function cyclesThrough<E extends Edge>(start: E, edges: readonly E[]): ReadonlyArray<readonly E[]> {
  const blockers = edges.filter((edge) => edge.id !== start.id && holdBetween(start, edge))
  // Most look in vain: those need no index.
  if (blockers.length === 0) return []
  const holding = holdersIn(edges)
  const nextOf = (edge: E): readonly E[] => blocking(edge, holding)
  return blockers.flatMap((first) => {
    const way = shortestWay(first, start, nextOf)
    return way ? [[start, ...way]] : []
  })
}

/** The cycles among them, each once. */
export function cyclesAmong<E extends Edge>(edges: readonly E[]): ReadonlyArray<readonly E[]> {
  const found = new Map<string, readonly E[]>()
  for (const start of edges)
    for (const cycle of cyclesThrough(start, edges)) {
      const turned = fromFirst(cycle)
      found.set(idOf(turned), turned)
    }
  return [...found.values()]
}

/** Which one gives way: the youngest of those that would. All members come to the same answer. */
export function victimOf(cycle: readonly SeenEdge[]): SeenEdge | undefined {
  const [victim] = cycle
    .filter(({ rejects }) => rejects)
    .sort((one, other) => other.since - one.since || (one.id < other.id ? 1 : -1))
  return victim
}

/** The same for all members, and for no other cycle. */
export function idOf(cycle: readonly Edge[]): string {
  return fromFirst(cycle)
    .map(({ id }) => id)
    .join(' ')
}

/** The cycle as events and errors show it: the same for all members. */
export function linksOf(cycle: readonly SeenEdge[]): readonly DeadlockLink[] {
  const turned = fromFirst(cycle)
  return turned.map((edge, index) => {
    const before = turned.at(index - 1) ?? edge
    return linkOf(edge, holdBetween(before, edge) ?? before.waitsFor)
  })
}

/** That an owner waits while it has that lock. */
export function linkOf(
  { owner, waitsFor, since, waitsAt }: SeenEdge,
  { kind, name, takenAt }: LockRole & Partial<HeldLock>,
): DeadlockLink {
  const label = labelOf(owner)
  return { owner, label, holds: { kind, name }, waitsFor, waitsSince: since, takenAt, waitsAt }
}

/** The same cycle, beginning with the same edge whoever has found it. */
function fromFirst<E extends Edge>(cycle: readonly E[]): readonly E[] {
  const least = cycle.reduce((best, { id }, index) => (id < (cycle[best]?.id ?? id) ? index : best), 0)
  return [...cycle.slice(least), ...cycle.slice(0, least)]
}

function holdersIn<E extends Edge>(edges: readonly E[]): ReadonlyMap<string, readonly E[]> {
  const holding = new Map<string, E[]>()
  for (const edge of edges)
    for (const key of new Set(edge.holds.map(lockKeyOf))) {
      const known = holding.get(key)
      if (known) known.push(edge)
      else holding.set(key, [edge])
    }
  return holding
}

/** Those that hold what it waits for. */
function blocking<E extends Edge>(edge: E, holding: ReadonlyMap<string, readonly E[]>): readonly E[] {
  const holders = holding.get(lockKeyOf(edge.waitsFor)) ?? []
  return holders.filter((other) => other.id !== edge.id && holdBetween(edge, other))
}

/** From one edge to the last before `end`. */
function shortestWay<E extends Edge>(
  first: E,
  end: E,
  nextOf: (edge: E) => readonly E[],
): readonly E[] | undefined {
  const cameFrom = new Map<string, E | undefined>([[first.id, undefined]])
  for (let front = [first]; front.length > 0; ) {
    const further: E[] = []
    for (const edge of front)
      for (const next of nextOf(edge)) {
        if (next.id === end.id) return wayTo(edge, cameFrom)
        if (cameFrom.has(next.id)) continue
        cameFrom.set(next.id, edge)
        further.push(next)
      }
    front = further
  }
  return undefined
}

function wayTo<E extends Edge>(last: E, cameFrom: ReadonlyMap<string, E | undefined>): readonly E[] {
  const way: E[] = []
  for (let edge: E | undefined = last; edge; edge = cameFrom.get(edge.id)) way.unshift(edge)
  return way
}
