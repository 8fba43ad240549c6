import { HoldfastError, shorten } from './holdfast-error.js'

/** The permit to return is not taken: it was returned before, or its lease has ended. Nothing was changed. */
export class PermitNotHeldError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'PermitNotHeldError'

  /** The permits to return. */
  readonly permitIds: readonly string[]

  constructor(lockName: string, permitIds: readonly string[]) {
    const which = permitIds.length === 1 ? `Permit ${permitIds[0]}` : `One of ${permitIds.length} permits`
    super(
      'PERMIT_NOT_HELD',
      `${which} of semaphore "${shorten(lockName)}" is not taken: it was returned before, or its lease has ended and another ` +
        'owner may have it. Return each permit once and in time, or use tryRelease() if that may be late.',
      { lockName },
    )
    this.permitIds = permitIds
  }
}
