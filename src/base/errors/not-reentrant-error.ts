import { ownerText } from '../identity/label.js'
import type { Owner } from '../identity/owner.js'
import { HoldfastError, quoted } from './holdfast-error.js'

/**
 * A section of a lock asked for the same lock, and one of the two says `reentrant: false`: it would wait for itself, so Holdfast refuses it
 * at once. Nothing has changed: the owner still holds the lock. Final: a retry within the section cannot succeed.
 */
export class NotReentrantError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'NotReentrantError'

  /** The owner that holds the lock and asked for it. */
  readonly owner: Owner

  constructor(lockName: string, owner: Owner) {
    super(
      'NOT_REENTRANT',
      `Owner ${ownerText(owner)} holds lock ${quoted(lockName)} and asked for it again, with reentrant: false: it would wait for itself. ` +
        'Hand the hold to what the section calls, or take the lock in one place only.',
      { lockName },
    )
    this.owner = owner
  }
}
