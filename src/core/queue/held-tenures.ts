import type { Owner } from '../../identity/owner.js'
import type { Tenure } from '../tenure/tenure.js'

/** This process's tenures of one lock, as far as known. */
export class HeldTenures {
  readonly #tenures = new Map<Owner | undefined, Tenure>()

  constructor(
    /** Whether each owner has a tenure of its own; else the process has one, which may go from owner to owner. */
    readonly perOwner: boolean,
    /** Whether the store lets several owners hold at once. */
    private readonly shared: boolean,
  ) {}

  get size(): number {
    return this.#tenures.size
  }

  get all(): readonly Tenure[] {
    return [...this.#tenures.values()]
  }

  /** The tenure that a call for `owner` meets first: its own, or one that stands in its way. */
  metBy(owner: Owner): Tenure | undefined {
    return this.#tenures.get(this.#keyOf(owner))
  }

  began(tenure: Tenure): void {
    this.#tenures.set(this.#keyOf(tenure.owner), tenure)
  }

  ended(tenure: Tenure): void {
    if (this.metBy(tenure.owner) === tenure) this.#tenures.delete(this.#keyOf(tenure.owner))
  }

  /**
   * The tenures that cannot be, now that the store has granted the lock for another. Where one owner has it at a time, any other that
   * was believed to have it has lost it. One that is giving it back makes room.
   */
  disprovedBy(granted: Tenure): readonly Tenure[] {
    const own = this.metBy(granted.owner)
    return this.all.filter(
      (other) => other !== granted && (other === own || (!this.shared && other.state === 'held')),
    )
  }

  #keyOf(owner: Owner): Owner | undefined {
    return this.perOwner ? owner : undefined
  }
}
