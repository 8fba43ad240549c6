import { InvalidArgumentError } from '../base/errors/errors.js'

/** The most permits that a semaphore has: an `int` of Java, whose clients read the number. */
export const MOST_PERMITS = 2 ** 31 - 1

/** Whether that change makes the number one that they cannot read. One that is so already may come back. */
export function leadsOut(permits: number, delta: number): boolean {
  return delta > 0 ? permits + delta > MOST_PERMITS : permits + delta < -MOST_PERMITS
}

/** The error for such a change. */
export function outOfRange(lockName: string, delta: number): InvalidArgumentError {
  const accepted = `a change to a number from -${MOST_PERMITS} to ${MOST_PERMITS}, taken permits included`
  return new InvalidArgumentError('permits', delta, accepted, {
    lockName,
    found: 'makes the number too large',
  })
}
