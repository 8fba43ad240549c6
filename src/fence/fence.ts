import { InvalidArgumentError } from '../errors.js'

/**
 * A fencing token as {@link Hold.fence} gives it: a number that grows with each new tenure of the lock. `undefined`, which the
 * kinds without tokens have, is refused wherever a token is needed.
 */
export type Fence = bigint | undefined

/** What a counter in Redis, and a BIGINT of a database, can hold. */
const GREATEST_FENCE = 2n ** 63n - 1n

/** @throws `InvalidArgumentError` if it is no token. */
export function checkFence(fence: Fence): bigint {
  if (typeof fence === 'bigint' && fence >= 1n && fence <= GREATEST_FENCE) return fence
  throw new InvalidArgumentError(
    'fence',
    fence,
    'a token: hold.fence (a bigint from 1) of a kind of lock that mints tokens, such as holdfast.fencedLock(name)',
  )
}
