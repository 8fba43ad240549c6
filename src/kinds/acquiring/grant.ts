import type { Refusal } from '../../core/acquire/call.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import type { AcquireResult } from '../../observe/trace/acquire.js'
import { type HoldTrace, holdChannel, holdTrace } from '../../observe/trace/hold.js'

/** The message of the channel `holdfast:acquire` at a call's end. */
export function resultOf(outcome: HoldRecord | Refusal): AcquireResult {
  if (outcome instanceof HoldRecord)
    return { outcome: 'granted', holdCount: outcome.holdCount, handedOver: outcome.handedOver }
  return { outcome: outcome.cause === undefined ? 'timeout' : 'failed', holder: outcome.holder }
}

/** The message of the channel `holdfast:hold` for the hold; undefined when nobody listens. */
export function traceOf(grant: HoldRecord, kind: string): HoldTrace | undefined {
  const { holdCount, waitedMs, handedOver, counted } = grant
  const { name, owner } = grant.tenure
  // Lost between the grant and here: there is no hold to tell of.
  if (counted || !holdChannel.hasSubscribers) return undefined
  grant.trace = holdTrace({ name, kind, owner, holdCount, waitedMs, handedOver })
  return grant.trace
}
