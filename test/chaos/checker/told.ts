import type { HistoryEvent, Told } from '../history/event.js'
import { type Fault, HARMLESS, type History } from '../history/history.js'
import { type Trial, trialOf } from './trial.js'

/** Histories written by hand, for the tests of the checker: what a worker told, and when. */
export type Line = readonly [t: number, told: Told]
export type Lines = Readonly<Record<string, readonly Line[]>>

export function historyOf(workers: Lines, faults: readonly Fault[] = []): History {
  return {
    ...{ faults, parentLags: [], endedAt: 100_000 },
    workers: Object.entries(workers).map(([worker, told]) => ({
      worker,
      events: told.map(([t, event]): HistoryEvent => ({ t, ...event })),
      killedAt: undefined,
    })),
  }
}

export function trial(workers: Lines, faults?: readonly Fault[]): Trial {
  return trialOf(historyOf(workers, faults))
}

type CallFields = Partial<Extract<Told, { e: 'call' }>>

/** A call, as a section of a plain lock named `a` unless said otherwise. */
export function call(c: number, but: CallFields = {}): Told {
  const plain = { kind: 'lock', way: 'withLock', names: ['a'], room: 1, takes: 1 }
  return { e: 'call', c, ...plain, scope: [], opens: [c], ...but }
}

/** A call at a time, its entry, its exit, which is its end. */
export function section(
  c: number,
  [called, entered, ended]: readonly [number, number, number],
  but: CallFields = {},
  left = 5_000,
): Line[] {
  return [
    [called, call(c, but)],
    [entered, { e: 'enter', c, left }],
    [ended, { e: 'exit', c }],
    [ended, { e: 'done', c, how: 'ok' }],
  ]
}

export function fault(from: number, to: number, but: Partial<Fault> = {}): Fault {
  return { what: 'a fault', ...HARMLESS, from, to, ...but }
}
