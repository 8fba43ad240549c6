import { exitCodes } from '../exit-codes.js'
import { CliError } from '../failure.js'
import { flagOf } from '../kind-flag.js'
import { holderText, nounOf } from '../lock-view.js'
import type { Output } from '../output.js'
import type { Server } from '../server.js'
import { free } from '../unlock.js'
import { digestOf } from './row.js'

/** Frees locks for those who look at them. */
export class Unlocker {
  constructor(
    private readonly server: Server,
    private readonly output: Output,
  ) {}

  /** Frees the lock if it is of that kind and still has the holders that were shown; says what it has done. */
  async free(name: string, kind: string, holders: string): Promise<string> {
    const locks = await this.server.catalogue.look(name)
    const lock = locks.find((each) => flagOf(each) === kind)
    const flag = lock && flagOf(lock)
    if (lock === undefined || flag === undefined || digestOf(lock) !== holders)
      throw new CliError(
        exitCodes.busy,
        'HOLDER_CHANGED',
        'Its holders are others by now: it is unchanged. Look again.',
      )
    const wasHeld = await free(this.server.family, flag, lock)
    const text = wasHeld ? `${nounOf(lock)} is free.` : `${nounOf(lock)} was free.`
    this.output.note('unlocked', `a page freed: ${nounOf(lock)}, held by ${holderText(lock)}`, {
      name,
      kind: lock.kind ?? null,
      unlocked: wasHeld,
    })
    return text
  }
}
