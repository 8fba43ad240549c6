import type { HistoryEvent, Told } from '../history/event.js'
import type { Fault } from '../history/fault.js'
import type { History } from '../history/history.js'
import { type Call, callsOf } from '../history/section.js'

/** Histories written by hand: what each worker told, and when. For the tests of the checker. */
export function historyOf(
  workers: Readonly<Record<string, ReadonlyArray<readonly [t: number, told: Told]>>>,
  more: Partial<Omit<History, 'workers'>> & { readonly killed?: Readonly<Record<string, number>> } = {},
): History {
  const { killed = {}, ...rest } = more
  return {
    faults: [],
    parentLags: [],
    endedAt: 100_000,
    ...rest,
    workers: Object.entries(workers).map(([worker, told]) => ({
      worker,
      events: told.map(([t, event]): HistoryEvent => ({ t, ...event })),
      killedAt: killed[worker],
    })),
  }
}

export function told(...workers: Parameters<typeof historyOf>): Call[] {
  return callsOf(historyOf(...workers))
}

/** A call, as a section of a plain lock named `a` unless said otherwise. */
export function call(c: number, but: Partial<Extract<Told, { e: 'call' }>> = {}): Told {
  return {
    e: 'call',
    c,
    kind: 'lock',
    way: 'withLock',
    names: ['a'],
    room: 1,
    takes: 1,
    scope: [],
    opens: [c],
    ...but,
  }
}

export function fault(from: number, to: number, but: Partial<Fault> = {}): Fault {
  return {
    what: 'a fault',
    from,
    to,
    loses: 'nothing',
    revives: false,
    cutsOff: false,
    refuses: false,
    ...but,
  }
}
