import type { AcquireReply, AcquireRequest, BatchPort } from '../../port/lock-port.js'
import type { Locker } from '../locker.js'
import { HoldRecord } from '../tenure/tenure.js'
import type { Call, Refusal } from './call.js'

const NOT_TAKEN: AcquireReply = { outcome: 'busy', remainingMs: 0, holder: undefined }

/**
 * One command for several locks. Each is asked for by an ordinary call that makes a single attempt, with all that belongs to
 * one (its tenure is pending and watched before anything is sent, its grant is given back if it comes too late); only what they
 * send is collected here, and leaves as one.
 */
export class Batch {
  readonly #requests: AcquireRequest[] = []
  #leave: ((replies: Promise<readonly AcquireReply[]>) => void) | undefined
  readonly #replies = new Promise<readonly AcquireReply[]>((resolve) => {
    this.#leave = resolve
  })

  constructor(
    private readonly port: BatchPort,
    private readonly wanted: 'all' | 'one',
  ) {}

  /** Sends the request with the others; undefined when it cannot be: they have left, or it is for a nested hold. */
  send(request: AcquireRequest): Promise<AcquireReply> | undefined {
    if (!this.#leave || request.heldBefore > 0) return undefined
    const place = this.#requests.push(request) - 1
    return this.#replies.then((replies) => replies[place] ?? NOT_TAKEN)
  }

  /** What was collected is sent. */
  leave(): void {
    const leave = this.#leave
    this.#leave = undefined
    if (!leave || this.#requests.length === 0) return
    const { port, wanted } = this
    leave(wanted === 'all' ? port.acquireAll(this.#requests) : port.acquireOne(this.#requests))
  }
}

/** What came of calls that travelled together: which were granted, by their places in the list, and what stood in the way. */
export interface BatchResult {
  readonly grants: ReadonlyMap<number, HoldRecord>
  readonly refusal: Refusal & { readonly name: string | undefined }
}

/**
 * Makes one attempt for all the calls at once, which have the same terms. None of their locks may be held or asked for in this process (`Locker.isIdle`).
 * Rejects when one of the calls does; nothing is held then.
 */
export async function acquireBatch(
  locker: Locker,
  port: BatchPort,
  wanted: 'all' | 'one',
  calls: readonly Call[],
): Promise<BatchResult> {
  const batch = new Batch(port, wanted)
  const sends = (request: AcquireRequest): ReturnType<Batch['send']> => batch.send(request)
  const asking = calls.map((call) => locker.acquire({ ...call, once: true, sends }))
  batch.leave()
  const ends = await Promise.allSettled(asking)
  const grants = new Map<number, HoldRecord>()
  let refusal: BatchResult['refusal'] = { ...NOTHING_IN_THE_WAY, name: undefined }
  let failure: PromiseRejectedResult | undefined
  ends.forEach((end, index) => {
    if (end.status === 'rejected') failure ??= end
    else if (end.value instanceof HoldRecord) grants.set(index, end.value)
    else if (stoodInTheWay(end.value) && !stoodInTheWay(refusal))
      refusal = { ...end.value, name: calls[index]?.name }
  })
  if (failure) {
    for (const grant of grants.values()) void locker.discard(grant)
    throw failure.reason
  }
  return { grants, refusal }
}

/** None was asked for. */
export const NOTHING_IN_THE_WAY: Refusal = {
  waitedMs: 0,
  holder: undefined,
  heldSince: undefined,
  remainingMs: undefined,
  cause: undefined,
  failingSince: undefined,
}

/** What was free and not taken is refused as well, without a reason of its own. */
function stoodInTheWay({ holder, remainingMs, cause }: Refusal): boolean {
  return holder !== undefined || remainingMs !== undefined || cause !== undefined
}
