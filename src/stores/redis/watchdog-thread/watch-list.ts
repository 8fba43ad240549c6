import { setImmediate } from '../../../base/time/machine-time.js'
import type { Schedule } from '../../../base/time/schedule.js'
import type { Heartbeat } from './heartbeat.js'
import { instantOf, leaseTimeOf, processClocks } from './instant.js'
import type { Order, Report, ThreadSettings } from './messages.js'
import { type Renew, type Renewable, Renewer } from './renewer.js'
import { SharedDeadline } from './shared-deadline.js'
import { tellFailure } from './told-failure.js'

type WatchOrder = Extract<Order, { kind: 'watch' }>

/** A lease of the main thread. */
interface Entry extends Renewable {
  readonly id: number
  readonly told: SharedDeadline
}

/**
 * The thread's side: carries out the main thread's orders. It writes a new deadline into shared memory before it reports the renewal, so
 * that the main thread finds the deadline however late it reads the report.
 */
export class WatchList {
  readonly #entries = new Map<number, Entry>()
  readonly #renewer: Renewer<Entry>
  #connected = false
  #renewed: number[] = []

  constructor(
    private readonly settings: Pick<ThreadSettings, 'leaseMs' | 'maxBlockedMs'>,
    private readonly renew: Renew,
    private readonly schedule: Schedule,
    heartbeat: Heartbeat,
    private readonly report: (report: Report) => void,
    private readonly shared = processClocks,
  ) {
    const { leaseMs, maxBlockedMs } = settings
    this.#renewer = new Renewer(leaseMs, renew, schedule, () => heartbeat.ageMs() <= maxBlockedMs, {
      renewed: (entry) => this.#wasRenewed(entry),
      failed: ({ id }, cause) => this.report({ kind: 'failed', id, failure: tellFailure(cause) }),
      lost: ({ id, told }) => {
        told.lose()
        this.report({ kind: 'lost', id })
      },
    })
  }

  /** How many leases it looks after. */
  get size(): number {
    return this.#entries.size
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
        this.#renewer.add(entry)
        break
      }
      case 'unwatch':
        this.#unwatch(order.id)
        break
      case 'awake':
        this.#renewer.hasten()
        break
    }
  }

  #watch(order: WatchOrder): void {
    const { id, memory, of, name, owner } = order
    const told = new SharedDeadline(memory)
    const entry = { id, told, of, name, owner, ...this.#termsOf(order), suspended: false }
    this.#entries.set(id, entry)
    this.#renewer.add(entry)
    this.#connect(entry)
  }

  #termsOf({ deadline, renewUntil }: Pick<WatchOrder, 'deadline' | 'renewUntil'>): {
    deadline: number
    renewUntil: number
  } {
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

  #unwatch(id: number): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#renewer.remove(entry)
    this.#entries.delete(id)
  }

  #wasRenewed({ id, told, deadline }: Entry): void {
    told.write(instantOf(deadline, this.schedule.clock, this.shared))
    // The answers of one flight arrive together: one message reports them.
    if (this.#renewed.push(id) > 1) return
    setImmediate(() => {
      this.report({ kind: 'renewed', ids: this.#renewed })
      this.#renewed = []
    })
  }
}
