import type { Owner } from '../../identity/owner.js'
import type { Tenure } from '../tenure/tenure.js'

/** This process's tenures of one lock, as far as known. */
export interface HeldTenures {
  readonly all: readonly Tenure[]
  /** The tenure that a call for `owner` meets first: its own, or one that stands in its way. */
  metBy(owner: Owner): Tenure | undefined
  began(tenure: Tenure): void
  ended(tenure: Tenure): void
  /** The tenures that cannot be, now that the store has granted the lock for another. */
  disprovedBy(granted: Tenure): readonly Tenure[]
}

/** Of a lock that the process has for one owner at a time, and may hand over from one to the next. */
export class OneTenure implements HeldTenures {
  #tenure: Tenure | undefined

  get all(): readonly Tenure[] {
    return this.#tenure ? [this.#tenure] : []
  }

  metBy(): Tenure | undefined {
    return this.#tenure
  }

  began(tenure: Tenure): void {
    this.#tenure = tenure
  }

  ended(tenure: Tenure): void {
    if (this.#tenure === tenure) this.#tenure = undefined
  }

  disprovedBy(granted: Tenure): readonly Tenure[] {
    return this.all.filter((other) => other !== granted)
  }
}

/** Where each owner has a tenure of its own, which stands in no other owner's way. */
export class TenurePerOwner implements HeldTenures {
  readonly #byOwner = new Map<Owner, Tenure>()

  /** @param shared whether the store lets several owners hold at once */
  constructor(private readonly shared: boolean) {}

  get all(): readonly Tenure[] {
    return [...this.#byOwner.values()]
  }

  metBy(owner: Owner): Tenure | undefined {
    return this.#byOwner.get(owner)
  }

  began(tenure: Tenure): void {
    this.#byOwner.set(tenure.owner, tenure)
  }

  ended(tenure: Tenure): void {
    if (this.#byOwner.get(tenure.owner) === tenure) this.#byOwner.delete(tenure.owner)
  }

  /** Where one owner has it at a time, any other that was believed to have it has lost it. One that is giving it back makes room. */
  disprovedBy(granted: Tenure): readonly Tenure[] {
    const own = this.#byOwner.get(granted.owner)
    return this.all.filter(
      (other) => other !== granted && (other === own || (!this.shared && other.state === 'held')),
    )
  }
}
