import type { Fault } from '../history/fault.js'
import type { Room } from '../history/room.js'
import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import { blockedSpans, type Span } from './blocked.js'
import type { Finding } from './finding.js'
import { isTooShort } from './short-lease.js'

export interface IdlenessBounds {
  /** What the store may take for a grant. */
  readonly slowMs: number
  /** How long what is free may stay free while somebody waits for it and the store can be reached. */
  readonly idleMs: number
  /** For how long a grant of which nobody knows may keep others out, by its explicit lease if it has one. */
  lastsMs(leaseMs?: number): number
}

export interface Idleness {
  readonly findings: readonly Finding[]
  /** By kind: the longest time for which something was free beside a live waiter. */
  readonly longestMs: Readonly<Record<string, number>>
}

type Change = (state: State) => void

interface State {
  used: number
  /** Reasons to expect nothing: a fault, a grant that died with its process. */
  excuses: number
  readonly waiting: Set<Call>
  entries: number
  /** How many permits there are beyond the number that was set. */
  more: number
}

/** Leases in the store end a little after the holder's view of them. */
const MARGIN_MS = 200

export function checkIdleness(
  calls: readonly Call[],
  faults: readonly Fault[],
  standstills: Standstills,
  room: Room,
  endedAt: number,
  bounds: IdlenessBounds,
): Idleness {
  const { idleMs, lastsMs } = bounds
  const findings: Finding[] = []
  const longestMs: Record<string, number> = {}
  const blocked = blockedSpans(calls, endedAt, (call) => useOf(call, endedAt, lastsMs))
  for (const [name, ofName] of byName(calls)) {
    const changes = [
      ...ofName.flatMap((call) => changesOf(call, endedAt, bounds, blocked.get(call) ?? [])),
      ...excusesOf(faults, lastsMs()),
      ...room.certain(name).map(({ at, by }) => ({ at, change: resized(by) })),
    ].sort((one, other) => one.at - other.at)
    const state: State = { used: 0, excuses: 0, waiting: new Set(), entries: 0, more: 0 }
    const kind = ofName.find(({ names }) => names.length === 1)?.kind ?? 'multi'
    let since: number | undefined
    let entries = 0
    for (const { at, change } of changes) {
      const before = [...state.waiting]
      change(state)
      const idle = isIdle(state)
      if (since !== undefined && (!idle || state.entries !== entries)) {
        const from = since
        const worst = Math.max(...before.map((call) => waited(call, from, at, standstills)), 0)
        longestMs[kind] = Math.max(longestMs[kind] ?? 0, worst)
        if (worst > idleMs) {
          const whom = before.map(({ id }) => id)
          findings.push({
            check: 'idle',
            kind,
            what: `${name} was free for ${worst.toFixed(0)} ms until ${at.toFixed(0)} while ${whom.slice(0, 5).join(', ')} waited`,
          })
        }
        since = undefined
      }
      entries = state.entries
      if (idle) since ??= at
    }
  }
  return { findings, longestMs }
}

function waited({ worker, calledAt }: Call, from: number, to: number, standstills: Standstills): number {
  const start = Math.max(from, calledAt)
  return to - start - standstills.during(worker, start, to)
}

function isIdle({ used, excuses, waiting, more }: State): boolean {
  if (excuses > 0 || waiting.size === 0) return false
  let most = 0
  let room = 0
  for (const call of waiting) {
    most = Math.max(most, call.takes)
    room = call.room
  }
  return used + most <= room + more
}

/** The calls on each name; one that takes several waits for all of them, and is there at each. */
function byName(calls: readonly Call[]): Map<string, Call[]> {
  const names = new Map<string, Call[]>()
  for (const call of calls) {
    for (const name of call.names) {
      const ofName = names.get(name) ?? []
      ofName.push(call)
      names.set(name, ofName)
    }
  }
  return names
}

function changesOf(
  call: Call,
  endedAt: number,
  { slowMs, lastsMs }: IdlenessBounds,
  blocked: readonly Span[],
): Array<{ at: number; change: Change }> {
  const { calledAt, enteredAt, takes, waitMs, how } = call
  const changes: Array<{ at: number; change: Change }> = []
  if (waitMs !== 0 && !isTooShort(call, slowMs))
    changes.push(
      { at: calledAt, change: ({ waiting }) => void waiting.add(call) },
      { at: enteredAt ?? overAt(call, endedAt), change: ({ waiting }) => void waiting.delete(call) },
    )
  const use = useOf(call, endedAt, lastsMs)
  if (enteredAt !== undefined && use)
    changes.push(
      {
        at: use.from,
        change: (state) => {
          state.used += takes
          state.entries += 1
        },
      },
      {
        at: use.to,
        change: (state) => {
          state.used -= takes
        },
      },
    )
  else if (use) changes.push(...excuse(use.from, use.to))
  // A latch that was closed without anybody knowing stays so.
  if (call.way === 'trySetCount' && enteredAt === undefined && how !== 'busy')
    changes.push(...excuse(calledAt, endedAt))
  for (const { from, to } of blocked) changes.push(...excuse(from, to))
  return changes
}

function overAt({ settledAt, diedAt }: Call, endedAt: number): number {
  return Math.min(settledAt ?? endedAt, diedAt ?? endedAt)
}

/** From when until when a call had what it takes; where it died, perhaps without anybody knowing: until its lease has ended. */
function useOf(call: Call, endedAt: number, lastsMs: IdlenessBounds['lastsMs']): Span | undefined {
  const { enteredAt, diedAt, how, lapsesAt, beliefs } = call
  if (enteredAt === undefined)
    return diedAt === undefined ? undefined : { from: diedAt, to: diedAt + lastsMs(call.leaseMs) + MARGIN_MS }
  const over = overAt(call, endedAt)
  if (how === 'ok') return { from: enteredAt, to: over }
  if (how === 'lock_lost' && lapsesAt !== undefined) return { from: enteredAt, to: lapsesAt + MARGIN_MS }
  const certain = Math.max(...beliefs.map(({ until }) => until)) + MARGIN_MS
  return { from: enteredAt, to: Math.max(over, certain) }
}

function resized(by: number): Change {
  return (state) => {
    state.more += by
  }
}

function excusesOf(faults: readonly Fault[], leaseMs: number): Array<{ at: number; change: Change }> {
  return faults
    .filter(({ cutsOff, revives }) => cutsOff || revives)
    .flatMap(({ from, to, revives }) => excuse(from, revives ? to + leaseMs + MARGIN_MS : to))
}

function excuse(from: number, to: number): Array<{ at: number; change: Change }> {
  return [
    {
      at: from,
      change: (state) => {
        state.excuses += 1
      },
    },
    {
      at: to,
      change: (state) => {
        state.excuses -= 1
      },
    },
  ]
}
