import { InvalidArgumentError } from '../../base/errors/errors.js'

/**
 * A fencing token, from {@link Hold.fence}: a number that grows with each new tenure of the lock. Kinds without tokens have `undefined`,
 * which calls that need a token refuse.
 */
export type Fence = bigint | undefined

/** The greatest number that a counter in Redis, or a database's BIGINT, can hold. */
const GREATEST_FENCE = 2n ** 63n - 1n

/** @throws `InvalidArgumentError` if `fence` is not a token. */
export function checkFence(fence: Fence): bigint {
  if (typeof fence === 'bigint' && fence >= 1n && fence <= GREATEST_FENCE) return fence
  throw new InvalidArgumentError(
    'fence',
    fence,
    'a token: hold.fence (a bigint from 1) of a kind of lock that mints tokens, such as holdfast.fencedLock(name)',
  )
}
