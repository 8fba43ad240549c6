import type { Call } from '../history/section.js'

export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * When calls for several names were rightly kept waiting: one of their names was in use, or perhaps had by another such call that was
 * kept waiting itself. For the rest of its time such a call should get in, and keep nobody out.
 * @param useOf when what a call took was in use, or may have been
 */
export function blockedSpans(
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
