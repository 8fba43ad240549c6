import { checkFunction, checkObject, checkSignal } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Term, TermEnd } from './term.js'

/** What a candidate does. */
export interface LeaderOptions {
  /**
   * Called at the beginning of each term. The term goes on when it has returned, or its promise has been fulfilled: it ends with the loss
   * of the lock, by `term.resign()`, or if `onElected` throws or rejects. Heed `term.signal`: until the promise of `onElected` has settled,
   * a resigned term holds up the next leader, and this candidate does not stand again.
   */
  readonly onElected?: (term: Term) => unknown
  /**
   * Called when a term has ended, after `term.signal` has aborted. Unless the term was lost, nobody else leads before its promise has
   * settled. One that never settles keeps the lock until `close()`, and `stop()` never returns.
   */
  readonly onRevoked?: (end: TermEnd, error?: unknown) => unknown
  /** Ends the candidacy, as `stop()` does. */
  readonly signal?: AbortSignal
}

export function checkLeaderOptions(given: LeaderOptions): LeaderOptions {
  const options = checkObject(
    'options',
    given,
    ['onElected', 'onRevoked', 'signal'],
    'leader(name, { onElected: async (term) => … })',
  )
  const { onElected, onRevoked, signal } = options
  if (onElected !== undefined) checkFunction('onElected', onElected)
  if (onRevoked !== undefined) checkFunction('onRevoked', onRevoked)
  if (onElected === undefined && (onRevoked ?? signal) !== undefined)
    throw new InvalidArgumentError(
      'onElected',
      onElected,
      'a function, because there is no candidate without',
    )
  checkSignal(signal)
  return options
}
