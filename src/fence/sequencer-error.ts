import { HoldfastError, shorten } from '../holdfast-error.js'
import { StaleFenceError } from './stale-fence-error.js'

/** A text is no sequencer: it is damaged, was tampered with, or speaks of a token that was never given. */
export class SequencerError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'SequencerError'

  constructor(what: string, lockName?: string) {
    super(
      'SEQUENCER_INVALID',
      `The sequencer is not valid: ${what}. Refuse the request, and have its sender pass on what hold.sequencer() gave, unchanged.`,
      { lockName },
    )
  }
}

/** A sequencer was good once, but that tenure of the lock is over. Its `code` is `SEQUENCER_STALE`. */
export class StaleSequencerError extends StaleFenceError {
  /** @internal */
  static override readonly kind = 'StaleSequencerError'

  constructor(lockName: string, offered: bigint, lastGiven: bigint | undefined) {
    const known =
      lastGiven === undefined
        ? 'the store knows of no token any more'
        : lastGiven === offered
          ? 'its holder has released or lost the lock since'
          : `the lock has changed hands since, the last token is ${lastGiven}`
    super(lockName, offered, lastGiven, {
      code: 'SEQUENCER_STALE',
      message:
        `The sequencer of lock "${shorten(lockName)}" with token ${offered} is out of date: ${known}. ` +
        'Refuse the request; its sender must acquire the lock anew.',
      lockName,
    })
  }
}
