import { ownerText } from '../identity/label.js'
import type { Owner } from '../identity/owner.js'
import { HoldfastError, quoted } from './holdfast-error.js'

/**
 * An owner that holds the read lock asked for the write lock. It would wait for its own read to end, and for ever if another reader did the
 * same, so Holdfast refuses it at once. Nothing has changed: the owner still holds the read lock.
 */
export class LockUpgradeError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'LockUpgradeError'

  /** The owner that asked. */
  readonly owner: Owner

  constructor(lockName: string, owner: Owner) {
    super(
      'LOCK_UPGRADE',
      `Owner ${ownerText(owner)} holds the read lock of ${quoted(lockName)} and asked for the write lock: it would wait for itself. Release ` +
        'the read lock first and read again under the write lock, or take the write lock from the start: a writer may read as well.',
      { lockName },
    )
    this.owner = owner
  }
}
