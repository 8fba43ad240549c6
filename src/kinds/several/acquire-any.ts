import { InnerSignal } from '../../base/waiting/signals.js'
import type { Call, Composition, Refusal } from '../../core/acquire/call.js'
import type { Locker } from '../../core/locker.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import { acquireBatch, NOTHING_IN_THE_WAY } from './batch.js'
import { waitLeft } from './wait-left.js'

/** How many locks are asked for with one command at most, and waited for at the same time. */
const MOST_AT_ONCE = 64
/** Where there are more than can be waited for at once, others are drawn after this time. */
const REDRAW_MS = 5_000

/** One of the locks was granted, or none. */
export type AnyOutcome = { readonly index: number; readonly grant: HoldRecord } | Refusal

type Terms = Omit<Call, 'name' | 'permits' | 'sends' | 'failingSince'>

/**
 * Takes any one of several locks. First those that are idle in this process are asked for, in an order of chance so that
 * processes do not all begin with the same; many with one command where the store can. If none is free all are waited for, and
 * the first that comes ends the waiting for the others: what is granted late is given back by the calls themselves (rule W4).
 * No more than 64 are waited for at a time, since each costs a subscription: with so many holders one is sure to come soon;
 * that none is overlooked for good is seen to by drawing anew now and then.
 */
export class AcquireAny implements Composition {
  readonly waitMs: number
  private readonly terms: Terms
  work: Promise<AnyOutcome> | undefined
  readonly #startedAt: number

  constructor(
    private readonly locker: Locker,
    private readonly nameOf: (index: number) => string,
    private readonly count: number,
    terms: Terms,
  ) {
    this.#startedAt = this.#now()
    this.waitMs = terms.waitMs
    this.terms = { ...terms, composition: this }
  }

  run(): Promise<AnyOutcome> {
    this.locker.lifetime.compose(this, [])
    const work = this.#run().finally(() => this.locker.lifetime.decompose(this))
    this.work = work
    return work
  }

  /** Nothing is left to do: whatever it waits for is of the locker that ends it. */
  cancel(): void {}

  async #run(): Promise<AnyOutcome> {
    const order = shuffled(this.count)
    let last = await this.#lookRound(order)
    if ('grant' in last) return last
    if (this.terms.waitMs === 0) return await this.#reenterOne(order, last)
    for (let turn = order; ; turn = shuffled(this.count)) {
      const waitMs = this.#waitLeft()
      if (waitMs === undefined) {
        if (last.cause === undefined) this.locker.metrics.count('timedOut')
        return { ...last, waitedMs: this.#now() - this.#startedAt }
      }
      last = await this.#waitForOneOf(turn.slice(0, MOST_AT_ONCE), waitMs, last.failingSince)
      if ('grant' in last) return last
    }
  }

  /**
   * Asks for those that are idle here: for one, then for twice as many with each refusal. Where most are free that leaves the
   * others to other calls; where most are held it takes few commands. A store that fails is not asked for the others.
   */
  async #lookRound(order: readonly number[]): Promise<AnyOutcome> {
    let last: AnyOutcome = this.#nothing()
    let size = 1
    for (let from = 0; from < order.length; size = Math.min(2 * size, MOST_AT_ONCE)) {
      const batch: number[] = []
      for (; batch.length < size && from < order.length; from += 1) {
        const index = order[from]
        if (index !== undefined && this.locker.isIdle(this.nameOf(index))) batch.push(index)
      }
      for (const group of this.#groupsOf(batch)) {
        last = (await this.#tryOneOf(group)) ?? last
        if ('grant' in last || last.cause !== undefined) return last
      }
    }
    return last
  }

  /** Those that can be asked for with one command: of one place. */
  #groupsOf(batch: readonly number[]): readonly (readonly number[])[] {
    const { together } = this.locker.port
    if (!together) return batch.map((index) => [index])
    const groups = new Map<number, number[]>()
    for (const index of batch) {
      const place = together.placeOf(this.nameOf(index))
      const group = groups.get(place)
      if (group) group.push(index)
      else groups.set(place, [index])
    }
    return [...groups.values()]
  }

  /** Undefined if none of them could be asked for. */
  async #tryOneOf(group: readonly number[]): Promise<AnyOutcome | undefined> {
    const { locker, terms } = this
    const { together } = locker.port
    // An earlier group took its time: what was idle then may be asked for by now.
    const idle = group.filter((index) => locker.isIdle(this.nameOf(index)))
    const waitMs = this.#waitLeft()
    const [only] = idle
    if (only === undefined || waitMs === undefined) return undefined
    if (!together) {
      // Where the store fails it is refused, and the call for any of them goes on.
      const outcome = await locker.acquire({ ...terms, name: this.nameOf(only), waitMs, once: true })
      return outcome instanceof HoldRecord ? { index: only, grant: outcome } : outcome
    }
    const calls = idle.map((index) => ({ ...terms, name: this.nameOf(index), waitMs }))
    const { grants, refusal } = await acquireBatch(locker, together, 'one', calls)
    const [first, ...rest] = grants
    for (const [, grant] of rest) void locker.discard(grant)
    const index = first && idle[first[0]]
    if (first && index !== undefined) return { index, grant: first[1] }
    // It is about all of them, not about the one that was asked for.
    const { name: _, ...reason } = refusal
    return reason
  }

  /** None is free, but one that the caller is in already may be entered again. */
  async #reenterOne(order: readonly number[], refusal: AnyOutcome): Promise<AnyOutcome> {
    const { locker, terms } = this
    for (const index of order) {
      const name = this.nameOf(index)
      if (!locker.uses(name, terms.caller.owner)) continue
      const outcome = await locker.acquire({ ...terms, name })
      if (outcome instanceof HoldRecord) return { index, grant: outcome }
    }
    locker.metrics.count('timedOut')
    return refusal
  }

  async #waitForOneOf(
    indexes: readonly number[],
    waitMs: number,
    failingSince: number | undefined,
  ): Promise<AnyOutcome> {
    const { locker, terms } = this
    const inner = new InnerSignal(terms.signal)
    const sliceMs = this.count > MOST_AT_ONCE ? Math.min(waitMs, REDRAW_MS) : waitMs
    let taken: AnyOutcome | undefined
    try {
      const waiting = indexes.map(async (index): Promise<AnyOutcome> => {
        const anyOf = indexes.length > 1
        const call = {
          ...terms,
          name: this.nameOf(index),
          waitMs: sliceMs,
          signal: inner.signal,
          anyOf,
          failingSince,
        } as const
        const outcome = await locker.acquire(call).catch((error: unknown) => {
          // The others may wait for sections of this process, which know nothing of a store that fails.
          if (!taken) inner.abort(error)
          throw error
        })
        if (!(outcome instanceof HoldRecord)) return outcome
        if (taken) void locker.discard(outcome)
        else taken = { index, grant: outcome }
        inner.abort()
        return taken
      })
      const ends = await Promise.allSettled(waiting)
      return taken ?? this.#none(ends)
    } finally {
      inner.close()
    }
  }

  #none(ends: readonly PromiseSettledResult<AnyOutcome>[]): AnyOutcome {
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    const refusals = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    // One that waited for a section of this process has not asked, and cannot tell that the store fails.
    const failing = refusals.find((each) => !('grant' in each) && each.cause !== undefined)
    return failing ?? refusals[0] ?? this.#nothing()
  }

  #nothing(): Refusal {
    return { ...NOTHING_IN_THE_WAY, waitedMs: this.#now() - this.#startedAt }
  }

  #waitLeft(): number | undefined {
    return waitLeft(this.terms.waitMs, this.#now() - this.#startedAt)
  }

  #now(): number {
    return this.locker.schedule.clock.now()
  }
}

/** The numbers from 0 to `count` - 1 in an order of chance. */
function shuffled(count: number): readonly number[] {
  const order = Array.from({ length: count }, (_, index) => index)
  for (let left = count - 1; left > 0; left -= 1) {
    const other = Math.floor(Math.random() * (left + 1))
    const swapped = order[left] ?? left
    order[left] = order[other] ?? other
    order[other] = swapped
  }
  return order
}
