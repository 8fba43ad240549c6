import type { History } from './history.js'

/** When processes stood still: nothing is to be expected of a call in a process that does not run. */
export class Standstills {
  readonly #byWorker = new Map<string, Array<{ from: number; to: number }>>()
  readonly #parent: Array<{ from: number; to: number }>

  constructor({ workers, parentLags }: History) {
    const spans = (lags: ReadonlyArray<{ t: number; ms: number }>): Array<{ from: number; to: number }> =>
      lags.map(({ t, ms }) => ({ from: t - ms, to: t }))
    this.#parent = spans(parentLags)
    for (const { worker, events } of workers)
      this.#byWorker.set(worker, spans(events.filter((event) => event.e === 'lag')))
  }

  during(worker: string, from: number, to: number): number {
    return [...this.#parent, ...(this.#byWorker.get(worker) ?? [])].reduce(
      (sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
      0,
    )
  }
}
