import { tracingChannel } from 'node:diagnostics_channel'
import type { Owner } from '../../base/identity/owner.js'
import { publishAround } from './around.js'
import type { HoldTrace } from './hold.js'

/**
 * The release of one hold, as published on the channel `holdfast:release`: `start` when it was called, `asyncEnd` when it was done,
 * `error` before that if the lock had been lost or the store failed. All messages carry the same object.
 */
export interface ReleaseTrace {
  readonly name: string
  /** The kind of lock, as people call it: `lock`, `fenced lock`, `read lock`… */
  readonly kind: string
  readonly owner: Owner
  /** What `holdfast:hold` tells of the hold; undefined if nobody listened there when it was granted. */
  readonly hold: HoldTrace | undefined
  /** From the grant to here, in milliseconds. */
  readonly heldMs: number
  /** Once done: the owner's remaining holds. */
  holdCount: number | undefined
  /** Once done: whether the lock went to a waiter of the same process. */
  handedOver: boolean | undefined
  /** The rejection of the release. */
  error: unknown
}

export const releaseChannel = tracingChannel<unknown, ReleaseTrace>('holdfast:release')

/** Runs the release of one hold and tells listeners. Not without any: then tracing costs nothing. */
export function traceRelease<Result>(
  request: Pick<ReleaseTrace, 'name' | 'kind' | 'owner' | 'hold' | 'heldMs'>,
  run: () => Promise<Result>,
  resultOf: (result: Result) => Pick<ReleaseTrace, 'holdCount' | 'handedOver'>,
): Promise<Result> {
  const trace: ReleaseTrace = { ...request, holdCount: undefined, handedOver: undefined, error: undefined }
  return publishAround(releaseChannel, trace, run, resultOf)
}
