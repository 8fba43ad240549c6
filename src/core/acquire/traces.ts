import type { Owner } from '../../base/identity/owner.js'
import { isTransient } from '../../port/failure.js'
import type { AcquireReply, AcquireRequest } from '../../port/lock-port.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'
import { CARRIED_OUT } from '../tenure/orphans.js'
import type { Tenure } from '../tenure/tenure.js'

/** A request that was refused for good did nothing, and its place is where it was. */
function stillPlaced(error: unknown): Promise<AcquireReply> {
  return isTransient(error) ? Promise.reject(error) : CARRIED_OUT
}

/** What the store may have of a call that nobody holds: a request without an answer, a place in line. None is left behind (rule W4). */
export class Traces {
  /** A request whose outcome is unknown: to be repeated, or given back. */
  #unsettled:
    | { readonly request: AcquireRequest; readonly tenure: Tenure; readonly cause: unknown }
    | undefined
  /** The request that has given this call a place in the line that the store keeps. */
  #inLine: AcquireRequest | undefined

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly waiter: Waiter,
  ) {}

  /** As whom the store may know the call already: the next request must be the same one, repeated. */
  get askedAs(): Owner | undefined {
    return this.#unsettled?.request.owner ?? this.#inLine?.owner
  }

  /** Whether the request without an answer may have joined the line. */
  get mayBeInLine(): boolean {
    return this.#unsettled?.request.waits === true
  }

  /** That request has failed for the moment. */
  unanswered(request: AcquireRequest, tenure: Tenure, cause: unknown): void {
    this.#unsettled = { request, tenure, cause }
    this.queue.forgetPlace(request.owner)
  }

  inLine(request: AcquireRequest | undefined): void {
    this.#inLine = request
  }

  /**
   * A request is sent. If it repeats the one whose outcome is unknown, this returns what that failed with: an answer settles both. A different
   * request does not settle the old one, which is undone.
   */
  repeated({ owner, heldBefore }: AcquireRequest): unknown {
    const unsettled = this.#unsettled
    if (!unsettled) return undefined
    const { request, cause } = unsettled
    if (request.owner === owner && request.heldBefore === heldBefore) {
      this.#unsettled = undefined
      return cause
    }
    this.#leaveUnsettled()
    return undefined
  }

  /** The tenure has ended to which a nested request was to add a hold: it is not repeated as a first one. */
  leaveNested(): void {
    if (this.#unsettled && this.#unsettled.request.heldBefore > 0) this.#leaveUnsettled()
  }

  /** Gives everything back: the next request, if any, is another one. */
  leave(): void {
    this.#leaveUnsettled()
    if (this.#inLine) this.undo(this.#inLine, CARRIED_OUT)
    this.#inLine = undefined
  }

  #leaveUnsettled(): void {
    const unsettled = this.#unsettled
    if (!unsettled) return
    this.#unsettled = undefined
    this.#inLine = undefined
    this.undo(unsettled.request, Promise.reject(unsettled.cause), unsettled.tenure)
  }

  /** Gives back what a request has come to, or may come to. */
  undo(request: AcquireRequest, sent: Promise<AcquireReply>, tenure?: Tenure): void {
    const placed = this.queue.forgetPlace(request.owner)
    const nested = tenure && request.heldBefore > 0
    if (nested) tenure.mayLast(this.env.schedule.clock.now() + request.leaseMs)
    void this.env.orphans.begin(
      request,
      placed ? sent.catch(stillPlaced) : sent,
      nested ? () => this.#nestedNow(request, tenure) : undefined,
    )
  }

  /**
   * What Orphans undoes of a nested request, at the time when it does so. While the tenure lasts, the owner keeps the holds that the store has
   * granted it since, and one that may be on its way. After a loss there is no outer hold to go back to: Orphans gives back all that the
   * owner has, unless the owner has asked for this lock again under the same name; then its own release does that.
   */
  #nestedNow(request: AcquireRequest, tenure: Tenure): AcquireRequest {
    const { queue, waiter, env } = this
    // A client that is closed frees no lock whose work may still be running.
    if (tenure.state !== 'over' || env.closed) {
      const holds = tenure.holds.length + (tenure.growing ? 1 : 0)
      return { ...request, heldBefore: Math.max(request.heldBefore, holds) }
    }
    const lapsed = tenure.goneAt !== undefined && env.schedule.clock.now() < tenure.goneAt
    const again =
      queue.tenures.metBy(tenure.owner)?.storedAs === request.owner || queue.waiters.hasOther(waiter)
    return lapsed || !again ? { ...request, heldBefore: 0 } : request
  }
}
