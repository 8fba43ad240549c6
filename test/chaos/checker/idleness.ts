import type { Fault } from '../history/history.js'
import { byName, type Call } from '../history/section.js'
import type { Span, Standstills } from '../history/standstills.js'
import { type Finding, finding } from './finding.js'
import { isTooShort } from './rest.js'
import type { Trial } from './trial.js'

export interface IdlenessBounds {
  /** What the store may take for a grant. */
  readonly slowMs: number
  /** How long what is free may stay free while somebody waits for it and the store can be reached. */
  readonly idleMs: number
  /** For how long a grant of which nobody knows may keep others out, by its explicit lease if it has one. */
  lastsMs(leaseMs?: number): number
}

/** From then on the state is another by so much. */
type Change = { readonly at: number; readonly change: (state: State) => void }

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

export function checkIdleness({ calls, faults, unanswered, room, endedAt }: Trial, bounds: IdlenessBounds) {
  const { idleMs, lastsMs } = bounds
  const findings: Finding[] = []
  /** By kind: the longest time for which something was free beside a live waiter. */
  const longestMs: Record<string, number> = {}
  const blocked = blockedSpans(calls, endedAt, (call) => useOf(call, endedAt, lastsMs))
  for (const [name, ofName] of byName(calls)) {
    const changes = [
      ...ofName.flatMap((call) => changesOf(call, endedAt, bounds, blocked.get(call) ?? [])),
      ...excusesOf(faults, lastsMs()),
      ...room.certain(name).map(({ at, by }) => adding(at, 'more', by)),
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
        const worst = Math.max(...before.map((call) => waited(call, from, at, unanswered)), 0)
        longestMs[kind] = Math.max(longestMs[kind] ?? 0, worst)
        if (worst > idleMs) {
          const whom = before.slice(0, 5).map(({ id }) => id)
          const what = `${name} was free for ${worst.toFixed(0)} ms until ${at.toFixed(0)}`
          findings.push(finding('idle', { kind }, `${what} while ${whom.join(', ')} waited`))
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

function changesOf(
  call: Call,
  endedAt: number,
  { slowMs, lastsMs }: IdlenessBounds,
  blocked: readonly Span[],
): Change[] {
  const { calledAt, enteredAt, takes, waitMs, how } = call
  const changes: Change[] = []
  if (waitMs !== 0 && !isTooShort(call, slowMs))
    changes.push(
      { at: calledAt, change: ({ waiting }) => void waiting.add(call) },
      { at: enteredAt ?? overAt(call, endedAt), change: ({ waiting }) => void waiting.delete(call) },
    )
  const use = useOf(call, endedAt, lastsMs)
  if (enteredAt !== undefined && use)
    changes.push(
      ...[adding(use.from, 'used', takes), adding(use.from, 'entries', 1), adding(use.to, 'used', -takes)],
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

function adding(at: number, figure: 'used' | 'excuses' | 'entries' | 'more', by: number): Change {
  const change = (state: State): void => {
    state[figure] += by
  }
  return { at, change }
}

function excusesOf(faults: readonly Fault[], leaseMs: number): Change[] {
  return faults
    .filter(({ cutsOff, revives }) => cutsOff || revives)
    .flatMap(({ from, to, revives }) => excuse(from, revives ? to + leaseMs + MARGIN_MS : to))
}

function excuse(from: number, to: number): Change[] {
  return [adding(from, 'excuses', 1), adding(to, 'excuses', -1)]
}

/**
 * When calls for several names were rightly kept waiting: one of their names was in use, or perhaps had by another such call that was
 * kept waiting itself. For the rest of its time such a call should get in, and keep nobody out.
 * @param useOf when what a call took was in use, or may have been
 */
function blockedSpans(
  calls: readonly Call[],
  endedAt: number,
  useOf: (call: Call) => Span | undefined,
): ReadonlyMap<Call, readonly Span[]> {
  const spans = new Map<Call, Span[]>()
  const used = new Map<string, number>()
  const since = new Map<Call, number | undefined>()
  const use = (names: readonly string[], by: number): void => {
    for (const name of names) used.set(name, (used.get(name) ?? 0) + by)
  }
  const steps: Array<{ at: number; step: () => void }> = []
  for (const call of calls) {
    const { names, calledAt, enteredAt } = call
    const span = useOf(call)
    if (span)
      steps.push({ at: span.from, step: () => use(names, 1) }, { at: span.to, step: () => use(names, -1) })
    if (names.length > 1)
      steps.push(
        { at: calledAt, step: () => void since.set(call, undefined) },
        { at: enteredAt ?? call.settledAt ?? call.diedAt ?? endedAt, step: () => void since.delete(call) },
      )
  }
  for (const { at, step } of steps.sort((one, other) => one.at - other.at)) {
    const before = new Map(since)
    step()
    const blocked = blockedNow([...since.keys()], used)
    for (const [call, from] of before) {
      if (from === undefined || blocked.has(call)) continue
      spans.set(call, [...(spans.get(call) ?? []), { from, to: at }])
      if (since.has(call)) since.set(call, undefined)
    }
    for (const call of blocked) if (since.get(call) === undefined) since.set(call, at)
  }
  return spans
}

function blockedNow(pending: readonly Call[], used: ReadonlyMap<string, number>): Set<Call> {
  const blocked = new Set<Call>()
  const had = new Set([...used].filter(([, count]) => count > 0).map(([name]) => name))
  for (let before = -1; before < blocked.size; ) {
    before = blocked.size
    for (const call of pending) {
      if (blocked.has(call) || !call.names.some((name) => had.has(name))) continue
      blocked.add(call)
      for (const name of call.names) had.add(name)
    }
  }
  return blocked
}
