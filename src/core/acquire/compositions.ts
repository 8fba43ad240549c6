import { ClosedError } from '../../base/errors/errors.js'

/** A call for several locks, which makes a call for each of them: of several kinds, perhaps, and of several clients. */
export interface Composition {
  readonly waitMs: number
  /** Settles when the call ends. When it hears that it does not get all it gives back what it has got. */
  readonly work: Promise<unknown> | undefined
  /** Ends it, whichever of the locks it waits for. */
  cancel(reason: unknown): void
}

/** What the call wants of one locker. */
interface Part {
  readonly name: string | undefined
  /** Whether that needs no more than a running section may have while its client drains. */
  readonly within: boolean
}

/** The calls for several locks that one locker has a part in. */
export class Compositions {
  readonly #underWay = new Map<Composition, Part>()
  /** Those that do not wait and were under way when draining began: the store has been asked on their behalf. */
  readonly #answered = new Set<Composition>()
  #ending: 'drain' | 'close' | undefined

  begun(composition: Composition, part: Part): void {
    this.#underWay.set(composition, part)
    // Perhaps it would first wait for a lock of another client, which knows nothing of that.
    if (this.#ending) this.#end(composition, part)
  }

  ended(composition: Composition): void {
    this.#underWay.delete(composition)
    this.#answered.delete(composition)
  }

  /** Ends those that wait, and those that are to begin. */
  end(by: 'drain' | 'close'): void {
    this.#ending = by
    if (by === 'drain')
      for (const composition of this.#underWay.keys())
        if (composition.waitMs === 0) this.#answered.add(composition)
    for (const [composition, part] of this.#underWay) this.#end(composition, part)
  }

  #end(composition: Composition, { name, within }: Part): void {
    if (this.#ending === 'close' || (composition.waitMs > 0 && !within))
      composition.cancel(new ClosedError(name))
  }

  /** Whether it may go on asking while its client drains. */
  isAnswered(composition: Composition | undefined): boolean {
    return composition !== undefined && this.#answered.has(composition)
  }

  /** How many draining waits for. */
  get answered(): number {
    return this.#answered.size
  }

  /** What those under way come to. */
  get work(): readonly (Promise<unknown> | undefined)[] {
    return [...this.#underWay.keys()].map(({ work }) => work)
  }
}
