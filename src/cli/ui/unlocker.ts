import process from 'node:process'
import { clean } from '../../base/errors/holdfast-error.js'
import { isError } from '../../base/errors/is-error.js'
import type { Catalogue } from '../catalogue.js'
import { exitCodes } from '../exit-codes.js'
import { CliError } from '../failure.js'
import type { Family } from '../family.js'
import { flagOf, type KindFlag } from '../kind-flag.js'
import { holderText, nounOf } from '../lock-view.js'
import { free } from '../unlock.js'
import { digestOf } from './row.js'

/** A lock that was freed on the page. */
export interface Freed {
  readonly name: string
  /** As the command line's `--kind` has it. */
  readonly kind: KindFlag
  /** The owners that held it. */
  readonly owners: readonly string[]
  /** Whether it was held still. */
  readonly unlocked: boolean
  /** The same in a sentence. */
  readonly text: string
}

/** Frees locks for those who look at them. */
export class Unlocker {
  constructor(
    private readonly place: { readonly family: Family; readonly catalogue: Catalogue },
    private readonly onFreed: (freed: Freed) => unknown,
  ) {}

  /** Frees the lock if it is of that kind and still has the holders that were shown; says what it has done. */
  async free(name: string, kind: string, holders: string): Promise<string> {
    const locks = await this.place.catalogue.look(name)
    const lock = locks.find((each) => flagOf(each) === kind)
    const flag = lock && flagOf(lock)
    if (lock === undefined || flag === undefined || digestOf(lock) !== holders)
      throw new CliError(
        exitCodes.busy,
        'HOLDER_CHANGED',
        'Its holders are others by now, so it is unchanged. Look again.',
      )
    const unlocked = await free(this.place.family, flag, lock)
    void this.#tell({
      name,
      kind: flag,
      owners: lock.owners.map(({ owner }) => owner),
      unlocked,
      text: `${nounOf(lock)}, held by ${holderText(lock)}`,
    })
    return unlocked ? `${nounOf(lock)} is free.` : `${nounOf(lock)} was free.`
  }

  /** The lock is free, whatever the application makes of that; no client that it listens to could emit what it throws. */
  async #tell(freed: Freed): Promise<void> {
    try {
      await this.onFreed(freed)
    } catch (error) {
      const known = clean(error)
      process.emitWarning(isError(known) ? known : String(known))
    }
  }
}
