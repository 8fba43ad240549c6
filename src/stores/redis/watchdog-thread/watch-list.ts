import type { Owner } from '../../../base/identity/owner.js'
import { setImmediate } from '../../../base/time/machine-time.js'
import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import { leaseDeadline, renewalPatienceMs, renewEveryMs } from '../../../port/lease.js'
import type { Renewed, RenewRequest } from '../../../port/lock-port.js'
import type { LeaseKind } from '../renewals/lease-renewals.js'
import type { Heartbeat } from './heartbeat.js'
import { instantOf, leaseTimeOf, processClocks } from './instant.js'
import type { Order, Report, Terms, ThreadSettings } from './messages.js'
import { SharedDeadline } from './shared-deadline.js'
import { tellFailure } from './told-failure.js'

const RETRIES_PER_RENEWAL = 10

/** Sends renewals: one answer for each. */
export type Renew = (
  requests: ReadonlyArray<RenewRequest & { readonly of: LeaseKind }>,
) => readonly Promise<Renewed>[]

/** A lease of the main thread. Times are on this thread's lease clock. */
interface Entry {
  readonly id: number
  readonly told: SharedDeadline
  readonly of: LeaseKind
  readonly name: string
  readonly owner: Owner
  deadline: number
  renewUntil: number
  /** Whether a renewal has failed since the last that succeeded. */
  suspended: boolean
}

/**
 * The thread's side: carries out the main thread's orders, and renews leases, all in one flight at each third of their time. Each gets its
 * own answer, so one that fails delays no other (rule L4). It drops a lease whose deadline has passed: the holder knows that it may have
 * lost the lock. It writes a new deadline into shared memory before it reports the renewal, so that the main thread finds the deadline
 * however late it reads the report.
 */
export class WatchList {
  readonly #entries = new Map<number, Entry>()
  /** Those to renew. */
  readonly #live = new Set<Entry>()
  readonly #everyMs: number
  #round: TimerHandle | undefined
  #connected = false
  #renewed: number[] = []

  constructor(
    private readonly settings: Pick<ThreadSettings, 'leaseMs' | 'maxBlockedMs'>,
    private readonly renew: Renew,
    private readonly schedule: Schedule,
    private readonly heartbeat: Heartbeat,
    private readonly report: (report: Report) => void,
    private readonly shared = processClocks,
  ) {
    this.#everyMs = renewEveryMs(settings.leaseMs)
  }

  carryOut(order: Order): void {
    switch (order.kind) {
      case 'watch':
        this.#watch(order)
        break
      case 'update': {
        const entry = this.#entries.get(order.id)
        if (!entry) break
        const { deadline, renewUntil } = this.#termsOf(order)
        entry.deadline = Math.max(entry.deadline, deadline)
        entry.renewUntil = renewUntil
        // The thread may have dropped it, because its deadline had passed here.
        this.#add(entry)
        break
      }
      case 'unwatch': {
        const entry = this.#entries.get(order.id)
        if (entry) this.#drop(entry)
        this.#entries.delete(order.id)
        break
      }
      case 'awake':
        this.#hasten(this.#live)
        break
    }
  }

  #watch(order: Extract<Order, { kind: 'watch' }>): void {
    const { id, memory, of, name, owner } = order
    const told = new SharedDeadline(memory)
    const entry = { id, told, of, name, owner, ...this.#termsOf(order), suspended: false }
    this.#entries.set(id, entry)
    this.#add(entry)
    this.#connect(entry)
  }

  #termsOf({ deadline, renewUntil }: Terms): Pick<Entry, 'deadline' | 'renewUntil'> {
    const { clock } = this.schedule
    return {
      deadline: leaseTimeOf(deadline, clock, this.shared),
      renewUntil: leaseTimeOf(renewUntil, clock, this.shared),
    }
  }

  /**
   * The first lease gets one extra renewal: connecting takes time, most on a busy machine, and the connection must exist before a lease
   * depends on it. The regular renewals report failures.
   */
  #connect({ of, name, owner }: Entry): void {
    if (this.#connected) return
    this.#connected = true
    const { leaseMs } = this.settings
    for (const answer of this.renew([{ of, name, owner, leaseMs }])) answer.catch(() => undefined)
  }

  #add(entry: Entry): void {
    this.#live.add(entry)
    this.#round ??= this.#nextRound()
    this.#hasten([entry])
  }

  /** A renewal that is under way no longer counts. */
  #drop(entry: Entry): void {
    this.#live.delete(entry)
    if (this.#live.size > 0) return
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }

  #nextRound(): TimerHandle {
    return this.schedule.at(this.schedule.clock.now() + this.#everyMs, () => {
      this.#round = this.#nextRound()
      this.#renew(this.#live)
    })
  }

  /** Leases with little time left do not wait for the next round. */
  #hasten(entries: Iterable<Entry>): void {
    const oneRoundAgo = this.schedule.clock.now() - this.#everyMs
    const late = leaseDeadline(oneRoundAgo, this.settings.leaseMs)
    this.#renew([...entries].filter(({ deadline }) => deadline < late))
  }

  #renew(entries: Iterable<Entry>): void {
    const beforeSend = this.schedule.clock.now()
    const due: Entry[] = []
    for (const entry of entries) {
      if (entry.deadline <= beforeSend) this.#drop(entry)
      else if (entry.renewUntil > beforeSend) due.push(entry)
    }
    const { leaseMs, maxBlockedMs } = this.settings
    // A main thread that is not seen for so long may not want the leases any more.
    if (due.length === 0 || this.heartbeat.ageMs() > maxBlockedMs) return
    const answers = this.renew(
      due.map(({ of, name, owner, deadline }) => ({
        of,
        name,
        owner,
        leaseMs,
        withinMs: renewalPatienceMs(deadline - beforeSend),
      })),
    )
    due.forEach((entry, index) => {
      answers[index]?.then(
        (renewed) => this.#settle(entry, beforeSend, renewed),
        (error: unknown) => this.#failed(entry, error),
      )
    })
  }

  #settle(entry: Entry, beforeSend: number, renewed: Renewed): void {
    if (!this.#live.has(entry)) return
    const { clock } = this.schedule
    if (!renewed) {
      this.#drop(entry)
      entry.told.lose()
      this.report({ kind: 'lost', id: entry.id })
    } else if (clock.now() < entry.deadline) {
      entry.suspended = false
      const lastsMs = renewed === true ? this.settings.leaseMs : renewed
      entry.deadline = Math.max(entry.deadline, leaseDeadline(beforeSend, lastsMs))
      entry.told.write(instantOf(entry.deadline, clock, this.shared))
      this.#reportRenewed(entry.id)
    }
  }

  /** The answers of one flight arrive together: one message reports them. */
  #reportRenewed(id: number): void {
    if (this.#renewed.push(id) > 1) return
    setImmediate(() => {
      this.report({ kind: 'renewed', ids: this.#renewed })
      this.#renewed = []
    })
  }

  #failed(entry: Entry, cause: unknown): void {
    if (!this.#live.has(entry)) return
    if (!entry.suspended) {
      entry.suspended = true
      this.report({ kind: 'failed', id: entry.id, failure: tellFailure(cause) })
    }
    const again = this.schedule.clock.now() + this.#everyMs / RETRIES_PER_RENEWAL
    if (again >= entry.deadline) return
    this.schedule.at(again, () => {
      if (this.#live.has(entry) && entry.suspended) this.#renew([entry])
    })
  }
}
