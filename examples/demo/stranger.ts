import { type Holdfast, type LockState, NotOwnerError } from 'holdfast'

/** Somebody who does not hold the lock, and tries to unlock it all the same. */
export class Stranger {
  constructor(private readonly holdfast: Holdfast) {}

  /** Tells whether that was refused, and left the holder's holds as they were. */
  async unlock(name: string): Promise<{ refused: boolean; holder: LockState['owners'][number] | undefined }> {
    const lock = this.holdfast.lock(name)
    const before = (await lock.inspect()).owners
    const refused = await this.holdfast.run(() =>
      lock.unlock().then(
        () => false,
        (error: unknown) => error instanceof NotOwnerError && error.holder === before[0]?.owner,
      ),
    )
    const after = (await lock.inspect()).owners
    const untouched = before.length === 1 && JSON.stringify(before) === JSON.stringify(after)
    return { refused: refused && untouched, holder: before[0] }
  }
}
