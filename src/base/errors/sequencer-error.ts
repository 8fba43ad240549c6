import { HoldfastError, quoted } from './holdfast-error.js'
import { StaleFenceError } from './stale-fence-error.js'

/** A text is not a sequencer: it is damaged, was changed, or names a token that was never minted. */
export class SequencerError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'SequencerError'

  constructor(what: string, lockName?: string) {
    super(
      'SEQUENCER_INVALID',
      `The sequencer is not valid: ${what}. Refuse the request; its sender must pass on the text of hold.sequencer() unchanged.`,
      { lockName },
    )
  }
}

/** A sequencer was valid, but its tenure of the lock is over. Its `code` is `SEQUENCER_STALE`. */
export class StaleSequencerError extends StaleFenceError {
  /** @internal */
  static override readonly kind = 'StaleSequencerError'

  constructor(lockName: string, offered: bigint, lastGiven: bigint | undefined) {
    const known =
      lastGiven === undefined
        ? 'the store no longer has a token'
        : lastGiven === offered
          ? 'its holder has released or lost the lock since'
          : `another tenure has begun since; the last token is ${lastGiven}`
    super(lockName, offered, lastGiven, {
      code: 'SEQUENCER_STALE',
      message:
        `The sequencer of lock ${quoted(lockName)} with token ${offered} is out of date: ${known}. ` +
        'Refuse the request; its sender must acquire the lock again.',
      lockName,
    })
  }
}
