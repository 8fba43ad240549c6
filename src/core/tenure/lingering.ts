import type { BusyReply, GrantedReply, Watch } from '../../ports/store.js'
import { KeepAlive } from '../../time/keep-alive.js'
import type { Call } from '../acquire/call.js'
import { leaseDeadline } from '../lease/lease.js'
import type { Locker } from '../locker.js'
import type { Gate } from '../queue/gate.js'
import type { Waiter } from '../queue/waiter.js'
import { isSpent, passOn, passOnInStore, staysAsItIs } from './hand-over.js'
import type { HoldRecord } from './hold-record.js'
import { abandon } from './release.js'
import { Stay } from './stay.js'
import type { Tenure } from './tenure.js'

/** A process that may not listen, or whose server did not answer, does not ask again with each acquisition. */
const DEAF_MS = 10_000
/** Before a lease of its own ends, which nobody renews, the lock is given back. */
const BEFORE_LEASE_ENDS_MS = 1

/** How this process hears of others that ask for one lock. */
interface Ear {
  readonly watch: Watch
  /** How often it was told. */
  asks: number
}

/** That an acquire was sent with the wish to keep the lock: how often others had asked for it before. */
export interface Offer {
  readonly ear: Ear
  readonly asks: number
}

/**
 * Locks that stay with this process after their release (`lingerMs`): the next acquisition of one is a hand-over from nobody, and sends
 * nothing under the watchdog.
 *
 * This is biased locking (Dice, Moir and Scherer, "Quickly Reacquirable Locks", 2003; HotSpot's biased locking) with a process in the
 * place of the thread that the lock is biased toward, and a message in the place of the revocation at a safepoint. A lock is biased only
 * where the store has noted that with its grant, and this process listened before: then whoever is refused by it has this process told,
 * which releases at once if nobody is inside. If somebody is, or where others stand in line from the start, the lock passes from call
 * to call within one turn of the event loop only, and no longer than a slice of hand-overs. What nobody hears of (a waiter in no line,
 * a lost message) waits for `lingerMs` at the most: it counts from the first release that sent nothing.
 */
export class Lingering {
  readonly #ears = new Map<Gate, Ear>()
  /** The holds after which nobody is inside, by the name of their lock. */
  readonly #left = new Map<string, HoldRecord>()
  readonly #keepAlive = new KeepAlive()
  #deafUntil = Number.NEGATIVE_INFINITY
  #ended = false

  constructor(private readonly locker: Locker) {}

  /** What an acquire is to be sent with so that the lock may stay. Begins to listen; until that is in force no lock may. */
  offer(gate: Gate, { lingerMs = 0 }: Call): Offer | undefined {
    if (lingerMs === 0 || this.#ended) return undefined
    const ear = this.#ears.get(gate) ?? this.#listen(gate)
    return ear?.watch.inForce ? { ear, asks: ear.asks } : undefined
  }

  /** A tenure has begun by that answer, to a request that was sent then. */
  begun(tenure: Tenure, reply: GrantedReply, offer: Offer, sentAt: number, leaseMs: number): void {
    // Whatever the store has not noted: others may stand in line.
    const until = reply.lingers ? leaseDeadline(sentAt, leaseMs) : Number.NEGATIVE_INFINITY
    tenure.stay = new Stay(until, !reply.lingers || offer.asks !== offer.ear.asks)
  }

  /** The release of a last hold that sends nothing although nobody of this process waits. False when it is not that, and nothing was done. */
  stays(gate: Gate, grant: HoldRecord): boolean {
    const { tenure } = grant
    const { stay } = tenure
    if (!stay || grant.lingerMs === 0 || this.#ended || !gate.queue.empty) return false
    const { schedule } = this.locker
    const now = schedule.clock.now()
    if (stay.asked) {
      if (this.locker.port.line?.placePerCall || isSpent(this.locker, tenure)) return false
      const { entered } = stay
      schedule.afterTurn(() => {
        if (stay.vacant && stay.entered === entered) this.#letGo(tenure)
      })
    } else {
      stay.since ??= now
      const leaseEndsAt =
        grant.renewUntil === undefined ? tenure.deadline - BEFORE_LEASE_ENDS_MS : Number.POSITIVE_INFINITY
      const endsAt = Math.min(stay.since + grant.lingerMs, stay.until, leaseEndsAt)
      if (endsAt <= now) return false
      this.#wakeAt(endsAt, tenure.name, stay)
    }
    stay.vacant = true
    grant.stayed = true
    grant.onEnd = undefined
    this.#left.set(tenure.name, grant)
    return true
  }

  /**
   * Lets a call enter the lock that has stayed, if it has: the call inherits it. Where the store must hear of that, settles when it has,
   * or when the call's time is up.
   */
  enter(gate: Gate, waiter: Waiter, deadline: number): Promise<unknown> | undefined {
    const last = this.#left.size > 0 ? this.#lastOf(gate.name) : undefined
    const stay = last?.tenure.stay
    if (!last || !stay) return undefined
    const { tenure } = last
    this.#left.delete(gate.name)
    stay.vacant = false
    stay.entered += 1
    this.locker.metrics.lingered()
    if (!staysAsItIs(this.locker, last, waiter)) return this.#enterInStore(gate, tenure, waiter, deadline)
    // Where each owner has a tenure of its own it is found by its owner.
    gate.ended(tenure)
    passOn(this.locker, tenure, last, waiter)
    gate.began(tenure)
    return undefined
  }

  /** The tenure of a lock that has stayed, with nobody inside. */
  vacant(name: string): Tenure | undefined {
    return this.#lastOf(name)?.tenure
  }

  #lastOf(name: string): HoldRecord | undefined {
    const last = this.#left.get(name)
    return last && this.locker.possession.check(last.tenure) ? last : undefined
  }

  /** A tenure is over. */
  over({ name, stay }: Tenure): void {
    if (!stay) return
    this.#silence(stay)
    if (this.#left.get(name)?.tenure.stay === stay) this.#left.delete(name)
  }

  /** Nobody stands at that gate any more. */
  forget(gate: Gate): void {
    this.#ears.get(gate)?.watch.close()
    this.#ears.delete(gate)
  }

  /** Releases what has stayed, and lets nothing stay from now on. */
  end(): void {
    this.#ended = true
    for (const { tenure } of [...this.#left.values()]) this.#letGo(tenure)
    for (const gate of [...this.#ears.keys()]) this.forget(gate)
    this.#keepAlive.end()
  }

  #listen(gate: Gate): Ear | undefined {
    const { schedule } = this.locker
    const { line } = this.locker.port
    if (!line?.hearAsks || schedule.clock.now() < this.#deafUntil) return undefined
    const ear: Ear = { watch: line.hearAsks(gate.name, () => this.#told(gate, ear)), asks: 0 }
    this.#ears.set(gate, ear)
    ear.watch.confirmed.catch((error: unknown) => {
      if (this.#ears.get(gate) !== ear) return
      this.forget(gate)
      this.#deafUntil = schedule.clock.now() + DEAF_MS
      this.locker.emit('error', error)
    })
    return ear
  }

  #told(gate: Gate, ear: Ear): void {
    ear.asks += 1
    for (const tenure of gate.tenures) {
      if (!tenure.stay) continue
      tenure.stay.asked = true
      if (tenure.stay.vacant) this.#letGo(tenure)
    }
  }

  async #enterInStore(gate: Gate, tenure: Tenure, waiter: Waiter, deadline: number): Promise<void> {
    const { possession, schedule } = this.locker
    tenure.state = 'releasing'
    possession.watchdog.unwatch(tenure)
    const passed = passOnInStore(this.locker, gate, tenure, waiter, () => undefined).then((outcome) => {
      if (outcome === 'lost') possession.lose(tenure, 'not-in-store', undefined)
      if (outcome === 'unknown')
        abandon(this.locker, tenure, this.locker.noAnswer(tenure.name), schedule.clock.now())
    })
    await waiter.upTo(waiter.call.waitMs === 0 ? Number.POSITIVE_INFINITY : deadline, passed)
  }

  /** The release of a lock that has stayed. Its holder has been told long ago that it went well. */
  #letGo(tenure: Tenure): void {
    const last = this.#lastOf(tenure.name)
    if (last?.tenure !== tenure) return
    this.over(tenure)
    tenure.stay = undefined
    void this.locker.discard(last)
  }

  #wakeAt(endsAt: number, name: string, stay: Stay): void {
    const { schedule } = this.locker
    if (stay.alarm) {
      if (stay.alarm.dueAt !== endsAt) schedule.move(stay.alarm, endsAt)
      return
    }
    this.#keepAlive.enter()
    stay.alarm = schedule.at(endsAt, () => {
      this.#silence(stay)
      const tenure = this.#left.get(name)?.tenure
      if (tenure?.stay === stay) this.#letGo(tenure)
    })
  }

  #silence(stay: Stay): void {
    if (!stay.alarm) return
    this.locker.schedule.cancel(stay.alarm)
    stay.alarm = undefined
    this.#keepAlive.leave()
  }
}

/** For how long a single attempt goes on that meets a lock with perhaps nobody inside: for its process to hear of it, and to let go. */
const PATIENCE_MS = 25

/** A single attempt is not refused by a lock that nobody is inside of: it is repeated, after 1, 2, 4 and more milliseconds, for a while. */
export class Patience {
  #until: number | undefined
  #pauseMs = 1
  #askAgainAt: number | undefined

  refused({ lingers }: BusyReply, now: number): void {
    this.#until ??= now + PATIENCE_MS
    this.#askAgainAt = lingers && now < this.#until ? Math.min(now + this.#pauseMs, this.#until) : undefined
    this.#pauseMs *= 2
  }

  /** When to ask again after the answer that was heard last, once; undefined where that stands. */
  takeAskAgainAt(): number | undefined {
    const at = this.#askAgainAt
    this.#askAgainAt = undefined
    return at
  }
}
