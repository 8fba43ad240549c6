import { type Fault, type History, mayLose } from './history.js'

interface Change {
  readonly from: number
  /** When it was known to be done; undefined: never. */
  doneAt: number | undefined
  by: number | undefined
}

/** The number of permits there are, as programs change it, beside the number that was set at first. */
export class Room {
  readonly #changes = new Map<string, Change[]>()
  readonly #faults: readonly Fault[]

  constructor({ workers, faults = [] }: Pick<History, 'workers'> & Partial<Pick<History, 'faults'>>) {
    this.#faults = faults
    for (const { events } of workers) {
      const own = new Map<number, Change>()
      for (const event of events) {
        if (event.e === 'resize') {
          const change = { from: event.t, doneAt: undefined, by: event.by }
          own.set(event.n, change)
          this.#changes.set(event.name, [...this.#of(event.name), change])
        } else if (event.e === 'resized')
          Object.assign(own.get(event.n) ?? {}, { doneAt: event.t, by: event.by })
      }
    }
  }

  /** How many more there may have been at some time between two. A number that was lost is set anew, without what it was reduced by. */
  most(name: string, from: number, to: number): number {
    const changes = this.#of(name)
    const losses = this.#faults.filter((fault) => mayLose(fault, name))
    const mayBeLost = (begun: number, time: number): boolean =>
      losses.some((loss) => loss.from <= time && begun <= loss.to)
    const times = [from, ...changes.map((change) => change.from).filter((at) => from < at && at <= to)]
    const at = (time: number): number =>
      changes.reduce(
        (sum, { from: begun, doneAt = Number.POSITIVE_INFINITY, by = Number.POSITIVE_INFINITY }) => {
          const counts = by > 0 ? begun <= time : doneAt <= time && !mayBeLost(begun, time)
          return counts ? sum + by : sum
        },
        0,
      )
    return Math.max(...times.map(at))
  }

  /** Since when there are how many more, or fewer, for certain. */
  certain(name: string): Array<{ readonly at: number; readonly by: number }> {
    return this.#of(name).flatMap(({ from, doneAt, by = Number.NEGATIVE_INFINITY }) => {
      if (by < 0) return [{ at: from, by }]
      return doneAt === undefined ? [] : [{ at: doneAt, by }]
    })
  }

  /** How many more there are in the end, at the least and at the most. */
  atRest(name: string): readonly [least: number, most: number] {
    return this.#of(name).reduce<readonly [number, number]>(
      ([least, most], { doneAt, by }) => {
        if (by === undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
        return doneAt !== undefined
          ? [least + by, most + by]
          : [least + Math.min(by, 0), most + Math.max(by, 0)]
      },
      [0, 0],
    )
  }

  #of(name: string): readonly Change[] {
    return this.#changes.get(name) ?? []
  }
}
