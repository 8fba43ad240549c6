import type { Owner, Scope } from '../base/identity/owner.js'
import type { Schedule } from '../base/time/schedule.js'
import { Pauses } from '../base/waiting/pauses.js'
import type { Events } from '../observe/events/events.js'
import type { Metrics } from '../observe/metrics/metrics.js'
import type { LockPort } from '../port/lock-port.js'
import type { Kin } from './kin.js'
import type { KindTraits, LocalQueue } from './queue/local-queue.js'
import { Queues } from './queue/queues.js'
import type { CoreSettings, Services } from './services.js'
import { Lingering } from './tenure/lingering.js'
import { Orphans } from './tenure/orphans.js'
import type { HoldRecord, Tenure } from './tenure/tenure.js'
import { Tenures } from './tenure/tenures.js'

/**
 * What acquiring and releasing one kind of lock needs: the client's services, and the state that all calls for that kind share. One record
 * with a field for each, so that no part of the core is given ten of them.
 */
export abstract class Environment implements Services {
  readonly kind: KindTraits
  readonly port: LockPort
  readonly schedule: Schedule
  readonly settings: CoreSettings
  readonly events: Events
  readonly metrics: Metrics
  readonly newOwner: Services['newOwner']
  readonly onLasting: Services['onLasting']
  readonly onWait: Services['onWait']
  readonly orphans: Orphans
  readonly tenures: Tenures
  readonly lingering: Lingering
  /** Between tries of what somebody awaits. */
  readonly pauses: Pauses
  closed = false
  /** The other kinds that are one lock with this one. */
  kin: Kin | undefined
  readonly queues: Queues

  constructor(services: Services) {
    const { kind, port, schedule, settings, events, metrics } = services
    this.kind = kind
    this.port = port
    this.schedule = schedule
    this.settings = settings
    this.events = events
    this.metrics = metrics
    this.newOwner = services.newOwner
    this.onLasting = services.onLasting
    this.onWait = services.onWait
    this.pauses = new Pauses(schedule)
    this.orphans = new Orphans(this)
    this.queues = new Queues(this)
    this.tenures = new Tenures(this)
    this.lingering = new Lingering(this)
  }

  /** What is under way: see lifetime.ts. */
  abstract readonly lifetime: { passing(grant: HoldRecord, work: Promise<void>): void }

  abstract tenureEnded(tenure: Tenure): void

  /** Gives back a hold that nobody has been told of. */
  abstract discard(grant: HoldRecord): Promise<void>

  /**
   * Forgets a queue that nobody stands at, sooner or later; of one whose lock is held it keeps what is held. Not while it has to remember
   * that it is the turn of others.
   */
  dropIfIdle(queue: LocalQueue): void {
    if (queue.callers > 0) return
    queue.rest()
    if (!this.queues.stir(queue)) return
    if (queue.held) {
      if (queue.asNew) this.queues.keepQuiet(queue)
      return
    }
    const { backUntil } = queue
    if (!this.closed && backUntil !== -Infinity && backUntil > this.schedule.clock.now()) {
      this.schedule.at(backUntil, () => this.dropIfIdle(queue))
      return
    }
    this.lingering.forget(queue.name)
    if (queue.asNew) this.queues.keepQuiet(queue)
    else this.queues.drop(queue)
  }

  /**
   * The owner that an acquisition of `caller` names to the store: the caller's own, unless the store may still know that owner. It does where another
   * call of this process got the lock by a hand-over (hand-over.ts), where a tenure was lost, and where a request, or what undoes it, may
   * still arrive; then the owner is a new one. Where a lock has two sides the store lets in the owner of the other side: only a call that runs
   * within that tenure asks as its owner; a sibling asks as another and takes its turn (rule O2).
   */
  storedAs(queue: LocalQueue, caller: Scope): Owner {
    const { owner } = caller
    const outer = this.kin?.around(queue.name, caller)
    if (outer) return outer.storedAs
    const taken = queue.tenures.storedAs(owner) || this.orphans.mayLive(queue.name, owner)
    return taken || this.kin?.uses(queue.name, owner) ? this.newOwner() : owner
  }

  /** Whether the store may know that owner by what this kind of lock has asked for. */
  uses(name: string, owner: Owner): boolean {
    const queue = this.queues.get(name)
    const here = queue?.tenures.storedAs(owner) || queue?.waiters.actsFor(owner)
    return here || this.orphans.mayLive(name, owner)
  }

  /** This process's tenures of that lock. */
  tenuresOf(name: string): readonly Tenure[] {
    return this.queues.get(name)?.tenures.all ?? []
  }
}
