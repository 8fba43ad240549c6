import type { LossReason } from '../../base/errors/errors.js'
import { Histogram, type HistogramSnapshot } from './histogram.js'

/**
 * Counters and histograms of one client since its creation. Counters only grow; `waiting` and `held` are current values. There are no
 * numbers per lock name, since the number of names has no limit.
 */
export interface HoldfastMetrics {
  /** Granted holds, nested ones included. */
  readonly acquired: number
  /** Calls that did not get the lock at once and began to wait. */
  readonly contended: number
  /** Calls that ended without the lock because another owner had it until their time was up, or at their only attempt. */
  readonly timedOut: number
  /** Calls that ended because their signal was aborted or the client was closed. */
  readonly cancelled: number
  /** Calls that ended because the store failed or did not answer, or because too many calls waited. */
  readonly failed: number
  /** Holds whose release the store confirmed. */
  readonly released: number
  /** Locks lost while held, by how the loss was noticed. A lock counts once, however many holds it had. */
  readonly lost: Readonly<Record<LossReason, number>>
  /** Grants to a waiter of the process that released: without a command, or with one that set a lease or a fence. */
  readonly handOvers: { readonly inMemory: number; readonly byCommand: number }
  /** Grants of a lock that had lingered in this process since its last release (`lingerMs`). */
  readonly lingered: number
  /** Leases that the watchdog renewed. */
  readonly renewals: number
  /** Renewals that failed or had no answer; Holdfast retries each until the lease ends. */
  readonly renewalFailures: number
  /** Calls that wait at present. */
  readonly waiting: number
  /** Current holds, nested ones included. */
  readonly held: number
  /** From the call to the grant, for each granted hold. Its count is `acquired`. */
  readonly waitTime: HistogramSnapshot
  /** From the grant to the call of release, or the loss of the lock. Its count and `held` add up to `acquired`. */
  readonly holdTime: HistogramSnapshot
}

/** What needs no more than to be counted: none of it yet. */
const NONE = {
  timedOut: 0,
  cancelled: 0,
  failed: 0,
  /** The store confirmed the release of a hold, or the release handed the lock over. */
  released: 0,
  lingered: 0,
  renewals: 0,
  renewalFailures: 0,
}

/** Keeps count for one client. Each method reports an event, and allocates nothing after the first use of a histogram. */
export class Metrics {
  readonly #counts = { contended: 0, ...NONE, waiting: 0 }
  readonly #lost = { 'lease-expired': 0, 'not-in-store': 0, 'session-ended': 0 }
  readonly #handOvers = { inMemory: 0, byCommand: 0 }
  readonly #waitTime = new Histogram()
  readonly #holdTime = new Histogram()

  /** That has happened once more. */
  count(what: keyof typeof NONE): void {
    this.#counts[what] += 1
  }

  waitBegan(): void {
    this.#counts.contended += 1
    this.#counts.waiting += 1
  }

  /** A call that had begun to wait does so no more, whatever came of it. */
  waitEnded(): void {
    this.#counts.waiting -= 1
  }

  granted(waitedMs: number): void {
    this.#waitTime.record(waitedMs)
  }

  /** Once for each hold, however it ended: by the call of release, a loss, or the end of the client. */
  holdEnded(heldMs: number): void {
    this.#holdTime.record(heldMs)
  }

  /** A process lost a tenure. Its holds end separately. */
  lost(reason: LossReason): void {
    this.#lost[reason] += 1
  }

  handedOver(how: 'inMemory' | 'byCommand'): void {
    this.#handOvers[how] += 1
  }

  snapshot(): HoldfastMetrics {
    const waitTime = this.#waitTime.snapshot()
    const holdTime = this.#holdTime.snapshot()
    return {
      acquired: waitTime.count,
      held: waitTime.count - holdTime.count,
      ...this.#counts,
      lost: { ...this.#lost },
      handOvers: { ...this.#handOvers },
      waitTime,
      holdTime,
    }
  }
}
