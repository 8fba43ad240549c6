import type { Refusal } from '../../core/acquire/call.js'
import type { Locker } from '../../core/locker.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import type { AcquireResult } from '../../observe/trace/acquire.js'
import { type HoldTrace, holdChannel, holdTrace } from '../../observe/trace/hold.js'

/** A granted lock, with what is to release it. */
export interface Member {
  readonly grant: HoldRecord
  readonly locker: Locker
}

/** What was granted: one lock or several, the first of which stands for all. */
export type Members = readonly [Member, ...Member[]]

/** The message of the channel `holdfast:acquire` at a call's end. */
export function resultOf(outcome: HoldRecord | Refusal): AcquireResult {
  if (outcome instanceof HoldRecord)
    return { outcome: 'granted', holdCount: outcome.holdCount, handedOver: outcome.handedOver }
  return { outcome: outcome.cause === undefined ? 'timeout' : 'failed', holder: outcome.holder }
}

/** The message of the channel `holdfast:hold` for the hold; undefined when nobody listens. */
export function traceOf({ grant, locker }: Member): HoldTrace | undefined {
  const { holdCount, waitedMs, handedOver, counted } = grant
  const { name, owner } = grant.tenure
  // Lost between the grant and here: there is no hold to tell of.
  if (counted || !holdChannel.hasSubscribers) return undefined
  grant.trace = holdTrace({ name, kind: locker.kind.name, owner, holdCount, waitedMs, handedOver })
  return grant.trace
}
