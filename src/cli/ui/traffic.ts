/** A client of this process, as the page needs it: what `new Holdfast()` makes. */
export interface Metered {
  metrics(): { readonly acquired: number; readonly contended: number; readonly timedOut: number }
}

type Counts = ReturnType<Metered['metrics']>

/** What a client has done in the last minutes, from the oldest on, one number for every so often. */
export interface Traffic {
  readonly everyMs: number
  readonly acquired: readonly number[]
  readonly contended: readonly number[]
  readonly timedOut: readonly number[]
}

/** Five minutes. */
const EVERY_MS = 2_000
const MOST = 150
/** After a longer pause nobody knows when the client did it. */
const MOST_MISSED = 5

/** Counts by the clock what a client counts since it began: while somebody looks. */
export class Meter {
  #slot: number | undefined
  #last: Counts | undefined
  #slots: Counts[] = []

  constructor(private readonly client: Metered) {}

  note(atMs: number): void {
    const slot = Math.floor(atMs / EVERY_MS)
    const now = this.client.metrics()
    const missed = slot - (this.#slot ?? slot - 1)
    const isNew = missed > MOST_MISSED
    if (isNew) this.#slots = [nothing]
    else this.#slots.push(...Array.from({ length: missed }, () => nothing))
    const before = isNew ? now : (this.#last ?? now)
    const current = this.#slots.pop() ?? nothing
    this.#slots = [...this.#slots, sum(current, now, before)].slice(-MOST - 1)
    this.#slot = slot
    this.#last = now
  }

  /** Of the time that is over: a count that has only begun would look like a fall. */
  get traffic(): Traffic {
    const slots = this.#slots.slice(0, -1)
    return {
      everyMs: EVERY_MS,
      acquired: slots.map(({ acquired }) => acquired),
      contended: slots.map(({ contended }) => contended),
      timedOut: slots.map(({ timedOut }) => timedOut),
    }
  }
}

const nothing: Counts = { acquired: 0, contended: 0, timedOut: 0 }

function sum(so: Counts, now: Counts, before: Counts): Counts {
  return {
    acquired: so.acquired + now.acquired - before.acquired,
    contended: so.contended + now.contended - before.contended,
    timedOut: so.timedOut + now.timedOut - before.timedOut,
  }
}
