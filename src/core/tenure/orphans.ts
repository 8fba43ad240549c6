import { ClosedError, StoreError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import { retryPauseMs } from '../../base/time/back-off.js'
import type { Schedule } from '../../base/time/schedule.js'
import { Pauses } from '../../base/waiting/pauses.js'
import type { Events } from '../../observe/events/events.js'
import { isTransient, mayPass, noAnswer } from '../../port/failure.js'
import type { AcquireReply, AcquireRequest, LockPort } from '../../port/lock-port.js'
import { retry } from '../acquire/outage.js'
import type { Tenure } from './tenure.js'

/** A client that is being closed does not wait out a whole lease for a store that is gone. */
const TRIES_AFTER_CLOSE = 3

/** How late a copy of a request may come that was given up: longer than a machine goes on sending what nobody confirms. */
const LATEST_COPY_MS = 900_000

/** For what is to be undone although nothing was granted: a place in line. */
export const CARRIED_OUT: Promise<AcquireReply> = Promise.resolve({ outcome: 'granted' })

/**
 * Cleans up after callers that left while their acquire was under way (timeout, abort, close) or whose acquire has an unknown
 * outcome: a grant that arrives after all is given back, a count that may have been raised is lowered again (rules W4, X1).
 * Works in the background, for as long as the orphan could live in the store, and nobody waits for it: the owner's next
 * request goes to the store under another name. The old one is not used again while a copy of the request, or of what undoes it,
 * may still be on its way. If a copy arrives after the undoing, nobody renews what it is granted, which ends with its lease.
 */
export class Orphans {
  /** Orphans not yet settled, by lock and owner. */
  readonly #open = new Map<string, Promise<void>>()
  /** Those that the store may know of. */
  readonly #undoing = new Set<AcquireRequest>()
  /** Until when an owner is not to ask under its own name: in the store it may be the holder still, or something of it on its way. */
  readonly #retired = new Map<Owner, number>()
  /** Whether the store has ever answered: before that it cannot be said to have taken anything. */
  storeHasAnswered = false
  #closed = false
  #givenUp = false
  #ended = false
  #pauses: Pauses

  constructor(
    private readonly services: {
      readonly port: LockPort
      readonly schedule: Schedule
      readonly events: Events
    },
  ) {
    this.#pauses = new Pauses(services.schedule)
  }

  get size(): number {
    return this.#open.size
  }

  /**
   * Sees to it that `request`, sent with the outcome `sent`, leaves no hold behind.
   * @param undone what is to be undone, asked each time that is tried
   */
  begin(
    request: AcquireRequest,
    sent: Promise<AcquireReply>,
    undone: () => AcquireRequest = () => request,
  ): Promise<void> {
    const key = keyOf(request.name, request.owner)
    sent.catch(() => undefined)
    // A place that nobody keeps up lapses by itself.
    if (request.leaseMs > 0 && this.storeHasAnswered) this.#undoing.add(request)
    return this.#track(
      key,
      Promise.resolve(this.#open.get(key))
        .then(() => this.#settle(request, sent, undone))
        .catch((error: unknown) => this.services.events.emit('error', error))
        .finally(() => this.#undoing.delete(request)),
    )
  }

  /** Nobody of this process waits on that place in line any more. */
  leavePlace(name: string, owner: Owner): void {
    void this.begin({ name, owner, heldBefore: 0, leaseMs: 0, waits: true }, CARRIED_OUT)
  }

  /** Gives back whatever part of the store still keeps for a lost tenure; tries until its lease has ended there. */
  leave({ name, storedAs: owner, permits }: Tenure, leaseMs: number): void {
    void this.begin({ name, owner, heldBefore: 0, leaseMs, permits }, Promise.reject(noAnswer(name)))
  }

  /** A request in that owner's name may have been sent twice. */
  retire(owner: Owner): void {
    this.#retire(owner, this.services.schedule.clock.now() + LATEST_COPY_MS)
  }

  /**
   * That tenure was lost by time. The store has it down to its owner for a while yet: for what lies between the holder's
   * reckoning and its own, for a renewal whose answer never came, for a quarantine. Would the owner ask under its own name, that
   * would look like its first request, repeated, and the answer would be the tenure that it has lost, with that one's fencing token.
   * Until the store has let go for certain it is known to it by other names.
   */
  lapsed(tenure: Tenure, goneAt: number): void {
    tenure.goneAt = goneAt
    this.#retire(tenure.storedAs, goneAt)
  }

  #retire(owner: Owner, untilMs: number): void {
    const now = this.services.schedule.clock.now()
    for (const [retired, until] of this.#retired) {
      if (until > now) break
      this.#retired.delete(retired)
    }
    const before = this.#retired.get(owner) ?? -Infinity
    this.#retired.delete(owner)
    this.#retired.set(owner, Math.max(before, untilMs))
  }

  /** Whether the store may know that owner by something of it in that lock, or may yet hear of it. */
  mayLive(name: string, owner: Owner): boolean {
    if (this.#open.size > 0 && this.#open.has(keyOf(name, owner))) return true
    return (this.#retired.get(owner) ?? -Infinity) > this.services.schedule.clock.now()
  }

  /** A last release that is under way: until its outcome is known, its owner's next acquire could be undone by it. */
  follow({ name, storedAs }: Pick<Tenure, 'name' | 'storedAs'>, release: Promise<unknown> | undefined): void {
    if (!release) return
    const key = keyOf(name, storedAs)
    const before = this.#open.get(key)
    const settled = release.then(
      () => before,
      () => before,
    )
    void this.#track(key, settled)
  }

  #track(key: string, settled: Promise<void>): Promise<void> {
    const work = settled.finally(() => {
      if (this.#open.get(key) === work) this.#open.delete(key)
    })
    this.#open.set(key, work)
    return work
  }

  /** Gives everything under way a few more tries, and settles when that is done with. */
  async close(): Promise<void> {
    this.#closed = true
    this.#pauses.end()
    this.#pauses = new Pauses(this.services.schedule)
    await Promise.all(this.#open.values())
  }

  /** Tries nothing any more. */
  giveUp(): void {
    this.#givenUp = true
    this.#pauses.end()
  }

  /** Waits for no answer any more. */
  end(): void {
    for (const { name } of this.#undoing) this.leftTaken(name)
    this.#undoing.clear()
    this.#ended = true
  }

  /** The client has ended, and the store has not said that this lock is free. */
  leftTaken(name: string): void {
    if (this.#ended) return
    const hint =
      'The client was closed before the store answered: the lock may stay taken until its lease ends.'
    const error = new StoreError('timeout', 'release', { lockName: name, transient: true, hint })
    this.services.events.emit('error', error)
  }

  async #settle(
    request: AcquireRequest,
    sent: Promise<AcquireReply>,
    undone: () => AcquireRequest,
  ): Promise<void> {
    let certain = true
    try {
      const { outcome } = await sent
      // To be told `busy` by a store that keeps the line is to have been given a place in it.
      if (outcome !== 'granted' && !(outcome === 'busy' && request.waits && this.services.port.line)) return
    } catch (error) {
      // A request that was refused for good did nothing; any other may have been carried out.
      if (!isTransient(error)) return
      this.retire(request.owner)
      certain = false
    }
    // A place that nobody keeps up lapses by itself, and what was granted to it does, too.
    const placeMs = request.waits ? (this.services.port.line?.placeMs ?? 0) : 0
    const goneAt = this.services.schedule.clock.now() + Math.max(request.leaseMs, placeMs)
    await this.#undo(request, undone, goneAt).catch((error: unknown) =>
      this.#notUndone(request, error, certain, goneAt),
    )
  }

  /** @param goneAt when the orphan's lease has ended in the store: what is gone needs no giving back */
  #undo(request: AcquireRequest, undone: () => AcquireRequest, goneAt: number): Promise<void> {
    let lastTries = TRIES_AFTER_CLOSE
    const { clock } = this.services.schedule
    const undo = async (): Promise<void> => {
      if (this.#givenUp) throw new ClosedError(request.name)
      await this.services.port.abandon(undone())
    }
    return retry(undo, {
      clock,
      worthwhile: mayPass,
      givesUp: (again) => {
        this.retire(request.owner)
        if (this.#closed) lastTries -= 1
        return again >= goneAt || lastTries === 0
      },
      pause: (again) => this.#pauses.until(this.#closed ? clock.now() + retryPauseMs(1) : again),
    })
  }

  /**
   * What cannot be undone is told of. Not where nobody knows whether there is anything, and its lease has ended meanwhile: no lock was held
   * that anybody knows of.
   */
  #notUndone(request: AcquireRequest, error: unknown, certain: boolean, goneAt: number): void {
    const isUnanswered = isTransient(error) || error instanceof ClosedError
    const mayLive = this.services.schedule.clock.now() < goneAt && this.#undoing.has(request)
    if (this.#closed && isUnanswered && mayLive) this.leftTaken(request.name)
    else if (certain || !isUnanswered) throw error
  }
}

function keyOf(name: string, owner: Owner): string {
  return `${owner} ${name}`
}
