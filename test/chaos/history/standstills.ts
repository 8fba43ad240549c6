import type { History } from './history.js'

export interface Span {
  readonly from: number
  readonly to: number
}

/** When processes stood still: nothing is to be expected of a call in a process that does not run. */
export class Standstills {
  readonly #byWorker = new Map<string, Span[]>()
  readonly #everybodys: Span[]

  /** @param ofAll whether each worker waits for all: where they are the store, one may stop while the others are locked out */
  constructor({ workers, parentLags }: History, ofAll = false) {
    const spans = (lags: ReadonlyArray<{ t: number; ms: number }>): Span[] =>
      lags.map(({ t, ms }) => ({ from: t - ms, to: t }))
    this.#everybodys = spans(parentLags)
    for (const { worker, events } of workers) {
      const stood = spans(events.filter((event) => event.e === 'lag'))
      if (ofAll) this.#everybodys.push(...stood)
      else this.#byWorker.set(worker, stood)
    }
  }

  /** When a worker, or the parent, first stopped of those times that ended after `from`, and lasted at least so long by `to`; else Infinity. */
  stoppedAt(worker: string, ms: number, from: number, to: number): number {
    const spans = this.#spans(worker).filter(
      (span) => span.to > from && Math.min(span.to, to) - span.from >= ms,
    )
    return Math.min(...spans.map((span) => span.from))
  }

  /** How long a worker, or the parent through which its bytes go, stood still between two times. */
  during(worker: string, from: number, to: number): number {
    return this.#spans(worker).reduce(
      (sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
      0,
    )
  }

  #spans(worker: string): readonly Span[] {
    return [...this.#everybodys, ...(this.#byWorker.get(worker) ?? [])]
  }
}
