import type { Fault } from '../history/fault.js'
import type { Room } from '../history/room.js'
import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import type { Finding } from './finding.js'

export interface IdlenessBounds {
  /** How long what is free may stay free while somebody waits for it and the store can be reached. */
  readonly idleMs: number
  /** For how long a grant of which nobody knows may keep others out: its lease. */
  readonly leaseMs: number
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

/** Finds the times at which something was free beside a call that waited for it. */
export function checkIdleness(
  calls: readonly Call[],
  faults: readonly Fault[],
  standstills: Standstills,
  room: Room,
  endedAt: number,
  { idleMs, leaseMs }: IdlenessBounds,
): Idleness {
  const findings: Finding[] = []
  const longestMs: Record<string, number> = {}
  for (const [name, ofName] of byName(calls)) {
    const changes = [
      ...ofName.flatMap((call) => changesOf(call, endedAt, leaseMs)),
      ...excusesOf(faults, leaseMs),
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

/** The calls on each single name; one that takes several names waits for all of them. */
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

function changesOf(call: Call, endedAt: number, leaseMs: number): Array<{ at: number; change: Change }> {
  const { calledAt, enteredAt, settledAt, diedAt, takes, names, waitMs, how, lapsesAt } = call
  const over = Math.min(settledAt ?? endedAt, diedAt ?? endedAt)
  const changes: Array<{ at: number; change: Change }> = []
  if (names.length === 1 && waitMs !== 0 && call.kind !== 'once') {
    changes.push(
      { at: calledAt, change: ({ waiting }) => void waiting.add(call) },
      { at: enteredAt ?? over, change: ({ waiting }) => void waiting.delete(call) },
    )
  }
  if (enteredAt !== undefined) {
    const certain = Math.max(...call.beliefs.map(({ until }) => until)) + MARGIN_MS
    changes.push(
      {
        at: enteredAt,
        change: (state) => {
          state.used += takes
          state.entries += 1
        },
      },
      {
        at:
          how === 'ok'
            ? over
            : how === 'lock_lost' && lapsesAt !== undefined
              ? lapsesAt + MARGIN_MS
              : Math.max(over, certain),
        change: (state) => {
          state.used -= takes
        },
      },
    )
  }
  // What did not settle well may have been granted without anybody knowing: until its lease has ended. A latch has none.
  if (call.way === 'trySetCount' && enteredAt === undefined && how !== 'busy')
    changes.push(...excuse(calledAt, endedAt))
  else if (enteredAt === undefined && diedAt !== undefined)
    changes.push(...excuse(diedAt, diedAt + (call.leaseMs ?? leaseMs) + MARGIN_MS))
  if (names.length > 1) changes.push(...excuse(calledAt, enteredAt ?? over))
  return changes
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
