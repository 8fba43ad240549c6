import { HoldfastError, quoted } from './holdfast-error.js'

/**
 * A resource refused a fencing token smaller than one it has seen: a later tenure of the lock has begun. Nothing was written.
 * Final: the work was done under a lost lock, and a retry with the same token cannot succeed.
 */
export class StaleFenceError extends HoldfastError {
  /** @internal */
  static override readonly kind: string = 'StaleFenceError'

  /** The resource that refused. */
  readonly resource: string
  /** The refused token. */
  readonly offered: bigint
  /** The greatest token that the resource has seen; `undefined` if it does not say. */
  readonly seen: bigint | undefined

  /** @param resource the resource's name in the message. */
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
        `${quoted(resource)} refused fencing token ${offered}: it has seen ${known}, so a later tenure of the lock has begun. ` +
          'Nothing was written. Acquire the lock again and redo the work; do not retry with this token.',
      { lockName: override?.lockName },
    )
    this.resource = resource
    this.offered = offered
    this.seen = seen
  }
}
