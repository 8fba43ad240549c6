import { atExit } from '../../base/time/at-exit.js'
import { KeepAlive } from '../../base/time/keep-alive.js'
import { firstLeaseMs, leaseDeadline } from '../../port/lease.js'
import type { GrantedReply } from '../../port/lock-port.js'
import type { Call } from '../acquire/call.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Services } from '../services.js'
import { Habits } from './habit.js'
import { type Ear, type HoldRecord, Stay, type Tenure } from './tenure.js'
import type { Tenures } from './tenures.js'

/** A process that may not listen, or whose server did not answer, does not ask again with each acquisition. */
const DEAF_MS = 10_000
/** Before a lease of its own ends, which nobody renews, the lock is given back. */
const BEFORE_LEASE_ENDS_MS = 1

/**
 * Locks that stay with this process after their release (`lingerMs`, rule W9): the next acquisition of one is a hand-over from nobody, and sends
 * nothing under the watchdog (hand-over.ts).
 *
 * This is biased locking (Dice, Moir and Scherer, "Quickly Reacquirable Locks", 2003; HotSpot's biased locking) with a process in the
 * place of the thread that the lock is biased toward, and a message in the place of the revocation at a safepoint. A lock is biased only
 * where the store has noted that with its grant, and this process listened before: then whoever is refused by it has this process told,
 * which releases at once if nobody is inside. If somebody is, or where others stand in line from the start, the lock passes from call
 * to call within one turn of the event loop only, and no longer than a slice of hand-overs. What nobody hears of (a waiter in no line,
 * a lost message) waits for `lingerMs` at the most: it counts from the first release that sent nothing.
 *
 * `'auto'`: only where this process has come back soon the last times (habit.ts), for about as long as that takes, and altogether no longer than
 * it may hand a lock on from call to call (`Tenure.isSpent`): those whom nobody hears wait no longer than for a hand-over. Such a tenure
 * is over soon, so its leases are the short ones of a grant in line, where leases are not the session's: a process that dies with nobody
 * inside holds others up no longer than that. With a longer lease (asked for, or renewed) it does not stay.
 */
export class Lingering {
  /** By the name of the lock. */
  readonly #ears = new Map<string, Ear>()
  /** The holds after which nobody is inside, by the name of their lock. */
  readonly #left = new Map<string, HoldRecord>()
  readonly #habits = new Habits()
  readonly #keepAlive = new KeepAlive()
  /** For how long a process that dies with nobody inside may hold others up by its habit. Where a lock lasts as long as its session, it does so anyway. */
  readonly #shortMs: number
  #deafUntil = -Infinity
  #ended = false
  #forgoExit: (() => void) | undefined

  constructor(
    private readonly services: Services & {
      readonly tenures: Tenures
      tenuresOf(name: string): readonly Tenure[]
      /** Releases for good. */
      discard(grant: HoldRecord): Promise<void>
    },
  ) {
    this.#shortMs = services.port.bound ? Infinity : firstLeaseMs(services.settings.watchdogMs)
  }

  /** What an acquire is to be sent with so that the lock may stay. Begins to listen; until that is in force no lock may. */
  offer({ name, lingerMs = 0, leaseMs }: Call): Stay | undefined {
    if (lingerMs === 0 || this.#ended) return undefined
    const auto = lingerMs === 'auto'
    if (auto && (leaseMs !== undefined || this.#likelyMs(name) === 0)) return undefined
    const ear = this.#ears.get(name) ?? this.#listen(name, auto)
    return ear?.watch.inForce ? new Stay(ear) : undefined
  }

  /**
   * The lease to ask for.
   * @param stay set where the lock may stay
   */
  leaseMs({ lingerMs, leaseMs }: Call, stay: Stay | undefined): number {
    const short = stay && lingerMs === 'auto' ? this.#shortMs : Infinity
    return leaseMs ?? Math.min(short, this.services.settings.watchdogMs)
  }

  /** A tenure has begun by that answer, to a request that was sent then with the wish to keep the lock. */
  begun(tenure: Tenure, reply: GrantedReply, stay: Stay, sentAt: number, leaseMs: number): void {
    tenure.stay = stay
    // Whatever the store has not noted: others may stand in line.
    if (!reply.lingers) return
    stay.until = leaseDeadline(sentAt, leaseMs)
    stay.asked = stay.ear.asks !== stay.asksBefore
  }

  /** Until when a lock may stay whose last hold is given back, and for which nobody of this process waits; undefined: it has to be released. */
  staysUntil(
    queue: LocalQueue,
    { tenure, lingerMs, renewUntil }: HoldRecord,
    now: number,
  ): number | undefined {
    const { stay } = tenure
    if (!stay || tenure.tied || lingerMs === 0 || this.#ended || !queue.waiters.empty) return undefined
    const { settings, kind } = this.services
    const auto = lingerMs === 'auto'
    const spent = tenure.isSpent(settings, now)
    const isLong = Math.max(tenure.deadline, tenure.storedUntil) - now > this.#shortMs
    const likelyMs = spent || isLong ? 0 : this.#likelyMs(queue.name)
    if (auto && likelyMs === 0) return undefined
    // To the end of the turn of the event loop.
    if (stay.asked) return kind.placePer === 'call' || spent ? undefined : now
    const until = auto
      ? Math.min(now + likelyMs, tenure.since + settings.handOverSliceMs)
      : (stay.since ?? now) + lingerMs
    const leaseEndsAt = renewUntil === undefined ? tenure.deadline - BEFORE_LEASE_ENDS_MS : Infinity
    const endsAt = Math.min(until, stay.until, leaseEndsAt)
    return endsAt > now ? endsAt : undefined
  }

  /** The release of a last hold that sends nothing although nobody of this process waits. */
  stays(grant: HoldRecord, endsAt: number, now: number): void {
    const { tenure } = grant
    const { stay } = tenure
    if (!stay) return
    const { schedule } = this.services
    const { entered } = stay
    if (grant.lingerMs === 'auto') this.#noteLeft(grant, now)
    this.#forgoExit ??= atExit(() => this.#letAllGo())
    if (stay.asked)
      schedule.afterTurn(() => {
        if (stay.vacant && stay.entered === entered) this.#letGo(tenure)
      })
    else {
      stay.since ??= now
      this.#wakeAt(endsAt, tenure.name, stay)
    }
    // While the event loop is blocked a thread would renew it beyond that.
    if (grant.renewUntil !== undefined) {
      grant.renewUntil = Math.min(grant.renewUntil, endsAt)
      if (tenure.lease) tenure.lease.renewUntil = grant.renewUntil
    }
    stay.vacant = true
    grant.stayed = true
    grant.onEnd = undefined
    this.#left.set(tenure.name, grant)
  }

  /** The hold that was the last in a lock that has stayed, with nobody inside. */
  lastOf(name: string, now = this.services.schedule.clock.now()): HoldRecord | undefined {
    const last = this.#left.get(name)
    return last && this.services.tenures.stillHeld(last.tenure, now) ? last : undefined
  }

  /** Its tenure goes on with another hold. */
  take({ tenure: { name, stay } }: HoldRecord): void {
    this.#left.delete(name)
    if (!stay) return
    stay.vacant = false
    stay.entered += 1
  }

  /** A call asks for that lock. */
  came({ name, lingerMs }: Call, now: number): void {
    if (lingerMs === 'auto') this.#habits.came(name, now)
  }

  /** A tenure has ended, and no call of this process is left that wants its lock. */
  leftBehind({ holds: [last] }: Tenure): void {
    if (last?.lingerMs === 'auto' && !last.stayed) this.#noteLeft(last, this.services.schedule.clock.now())
  }

  /** A tenure is over. */
  over({ name, stay }: Tenure): void {
    if (!stay) return
    this.#silence(stay)
    if (this.#left.get(name)?.tenure.stay === stay) this.#left.delete(name)
  }

  /** Nobody of this process has that lock or wants it any more. */
  forget(name: string): void {
    this.#ears.get(name)?.watch.close()
    this.#ears.delete(name)
  }

  /** Releases what has stayed, and lets nothing stay from now on. */
  end(): void {
    this.#ended = true
    this.#letAllGo()
    this.#forgoExit?.()
    for (const name of this.#ears.keys()) this.forget(name)
    this.#keepAlive.end()
  }

  /** How long the process is likely to need until it comes back; 0: it is not to keep that lock by itself. */
  #likelyMs(name: string): number {
    return this.services.kind.placePer === 'process' ? this.#habits.keepMs(name) : 0
  }

  #noteLeft({ grantedAt, tenure: { name } }: HoldRecord, now: number): void {
    const { settings } = this.services
    // After a section that is as long as a slice the lock never stays, so it is not to be noted as if it might.
    if (now - grantedAt < settings.handOverSliceMs) this.#habits.left(name, now)
    else this.#habits.end(name)
  }

  /** @param auto whether nobody has asked for the lock to linger: then nobody is told why it does not */
  #listen(name: string, auto: boolean): Ear | undefined {
    const { schedule, port, events } = this.services
    if (!port.line?.hearAsks || schedule.clock.now() < this.#deafUntil) return undefined
    const ear: Ear = { watch: port.line.hearAsks(name, () => this.#told(name, ear), auto), asks: 0 }
    this.#ears.set(name, ear)
    ear.watch.confirmed.catch((error: unknown) => {
      if (this.#ears.get(name) !== ear) return
      this.forget(name)
      this.#deafUntil = schedule.clock.now() + DEAF_MS
      if (!auto) events.emit('error', error)
    })
    return ear
  }

  #told(name: string, ear: Ear): void {
    ear.asks += 1
    for (const tenure of this.services.tenuresOf(name)) {
      if (!tenure.stay) continue
      tenure.stay.asked = true
      if (tenure.stay.vacant) this.#letGo(tenure)
    }
  }

  #letAllGo(): void {
    for (const { tenure } of this.#left.values()) this.#letGo(tenure)
  }

  /** The release of a lock that has stayed. Its holder has been told long ago that it went well. */
  #letGo(tenure: Tenure): void {
    const last = this.lastOf(tenure.name)
    if (last?.tenure !== tenure) return
    this.over(tenure)
    tenure.stay = undefined
    void this.services.discard(last)
  }

  #wakeAt(endsAt: number, name: string, stay: Stay): void {
    const { schedule } = this.services
    if (stay.alarm) {
      if (stay.alarm.dueAt !== endsAt) schedule.move(stay.alarm, endsAt)
      return
    }
    // A process that would end now with its work done ends when the lock is free again.
    this.#keepAlive.enter()
    stay.alarm = schedule.at(endsAt, () => {
      this.#silence(stay)
      const tenure = this.#left.get(name)?.tenure
      if (tenure?.stay === stay) this.#letGo(tenure)
    })
  }

  #silence(stay: Stay): void {
    if (!stay.alarm) return
    this.services.schedule.cancel(stay.alarm)
    stay.alarm = undefined
    this.#keepAlive.leave()
  }
}
