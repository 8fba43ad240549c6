import { HoldfastError, shorten } from './holdfast-error.js'
import type { Owner } from './owner.js'

/**
 * Somebody who reads asked to write. It would wait for its own read to end, for ever if others ask the same, so it is refused at
 * once. Nothing was changed: the read is still held.
 */
export class LockUpgradeError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'LockUpgradeError'

  /** Who asked. */
  readonly owner: Owner

  constructor(lockName: string, owner: Owner) {
    super(
      'LOCK_UPGRADE',
      `Owner ${owner} reads lock "${shorten(lockName)}" and asked to write it: it would wait for itself. Release the read first ` +
        'and look again once you may write, or write from the start: whoever writes may read as well.',
      { lockName },
    )
    this.owner = owner
  }
}
