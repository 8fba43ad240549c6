import { HoldfastError, quoted } from './holdfast-error.js'

/** Nobody holds the permit to return: somebody returned it before, or its lease has ended. The call changed nothing. */
export class PermitNotHeldError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'PermitNotHeldError'

  /** The permits to return. */
  readonly permitIds: readonly string[]

  constructor(lockName: string, permitIds: readonly string[]) {
    const [first] = permitIds
    const which =
      first !== undefined && permitIds.length === 1
        ? `Permit ${quoted(first)}`
        : `One of ${permitIds.length} permits`
    super(
      'PERMIT_NOT_HELD',
      `${which} of semaphore ${quoted(lockName)} is not taken: it was returned before, or its lease has ended and another ` +
        'owner may have it. Return each permit once and in time, or use tryRelease() if that may be late.',
      { lockName },
    )
    this.permitIds = permitIds
  }
}
