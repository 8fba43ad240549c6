import type { Call, Refusal } from '../../core/acquire/call.js'
import type { Locker } from '../../core/locker.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import type { AcquireReply, AcquireRequest, BatchPort } from '../../port/lock-port.js'

const NOT_TAKEN: AcquireReply = { outcome: 'busy', remainingMs: 0, holder: undefined }

/** What came of calls that travelled together: which were granted, by their places in the list, and what stood in the way. */
export interface BatchResult {
  readonly grants: ReadonlyMap<number, HoldRecord>
  readonly refusal: Refusal & { readonly name: string | undefined }
}

/**
 * Makes one attempt for all the calls, which have the same terms, with one command. Each is an ordinary call that makes a single attempt, with all
 * that belongs to one (its tenure is pending and watched before anything is sent, its grant is given back if it comes too late); only what they
 * send is collected here. None of their locks may be held or asked for in this process (`Locker.isIdle`). Rejects when one of the calls does;
 * nothing is held then.
 */
export async function acquireBatch(
  locker: Locker,
  port: BatchPort,
  wanted: 'all' | 'one',
  calls: readonly Call[],
): Promise<BatchResult> {
  const requests: AcquireRequest[] = []
  let replies: Promise<readonly AcquireReply[]> | undefined
  let left = false
  const send = (): Promise<readonly AcquireReply[]> =>
    wanted === 'all' ? port.acquireAll(requests) : port.acquireOne(requests)
  /** Undefined when it has to go by itself: the others have left, or it is for a nested hold. */
  const sends = (request: AcquireRequest): Promise<AcquireReply> | undefined => {
    if (left || request.heldBefore > 0) return undefined
    const place = requests.push(request) - 1
    // When all of them have asked, which they do at once.
    replies ??= Promise.resolve().then(send)
    return replies.then((all) => all[place] ?? NOT_TAKEN)
  }
  const asking = calls.map((call) => locker.acquire({ ...call, once: true, sends }))
  left = true
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
