import { HoldfastError, shorten } from '../holdfast-error.js'

/**
 * A resource refused a writer whose fencing token is smaller than one it has seen: the lock has changed hands since. Nothing was
 * written. Final: the work was done under a lock that is lost, and a retry with the same token cannot succeed.
 */
export class StaleFenceError extends HoldfastError {
  /** @internal */
  static override readonly kind: string = 'StaleFenceError'

  /** Which resource refused. */
  readonly resource: string
  /** The token that was offered. */
  readonly offered: bigint
  /** The greatest token that the resource has seen; `undefined` where it does not say. */
  readonly seen: bigint | undefined

  /** @param resource how the resource is to be named in the message. */
  constructor(
    resource: string,
    offered: bigint,
    seen?: bigint | undefined,
    override?: { code: string; message: string; lockName: string },
  ) {
    const known = seen === undefined ? 'a greater one' : `token ${seen}`
    super(
      override?.code ?? 'STALE_FENCE',
      override?.message ??
        `"${shorten(resource)}" refused fencing token ${offered}: it has seen ${known}, so the lock has changed hands since ` +
          'this one was given. Nothing was written. Acquire the lock again and do the work anew; do not retry with this token.',
      { lockName: override?.lockName },
    )
    this.resource = resource
    this.offered = offered
    this.seen = seen
  }
}
