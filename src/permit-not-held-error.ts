import { HoldfastError, shorten } from './holdfast-error.js'

/** A permit was to be given back that is not taken: it was given back before, or its lease has ended. Nothing was changed. */
export class PermitNotHeldError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'PermitNotHeldError'

  /** What was to be given back. */
  readonly permitIds: readonly string[]

  constructor(lockName: string, permitIds: readonly string[]) {
    const which = permitIds.length === 1 ? `Permit ${permitIds[0]}` : `One of ${permitIds.length} permits`
    super(
      'PERMIT_NOT_HELD',
      `${which} of semaphore "${shorten(lockName)}" is not taken (any more): it was given back before, or its lease has ended and ` +
        'another may have it. Give each permit back once and in time, or use tryRelease() where it may be late.',
      { lockName },
    )
    this.permitIds = permitIds
  }
}
