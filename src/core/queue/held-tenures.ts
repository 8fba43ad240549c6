import type { Owner } from '../../base/identity/owner.js'
import type { Tenure } from '../tenure/tenure.js'

/** How a kind of lock may be held. */
interface Sharing {
  /** Whether the store lets several owners hold at once. */
  readonly shared?: boolean
  readonly placePer?: 'process' | 'call'
}

const NONE: readonly Tenure[] = []

/** This process's tenures of one lock, as far as known. */
export class HeldTenures {
  /** Where the process has one at a time: a map would be most of what a held lock costs. */
  #one: Tenure | undefined
  readonly #each: Map<Owner, Tenure> | undefined

  constructor(private readonly kind: Sharing) {
    if (kind.shared || kind.placePer === 'call') this.#each = new Map()
  }

  /** Whether each owner has its own tenure. Otherwise the process has one, which a hand-over passes from owner to owner. */
  get perOwner(): boolean {
    return this.#each !== undefined
  }

  /** Whether there is none. */
  get empty(): boolean {
    return this.#one === undefined && !this.#each?.size
  }

  /** One of them; the one where there can be no other. */
  get any(): Tenure | undefined {
    if (!this.#each) return this.#one
    for (const tenure of this.#each.values()) return tenure
    return undefined
  }

  get all(): readonly Tenure[] {
    if (this.#each) return [...this.#each.values()]
    return this.#one ? [this.#one] : NONE
  }

  /** The tenure that a call for `owner` meets first: its own, or one that stands in its way. */
  metBy(owner: Owner): Tenure | undefined {
    return this.#each ? this.#each.get(owner) : this.#one
  }

  /**
   * Whether the store has a tenure down to that owner. Where one owner has the lock at a time, it may have been passed on to another since;
   * where several have it each has its own.
   */
  storedAs(owner: Owner): boolean {
    if (this.kind.shared || !this.#each) return this.metBy(owner)?.storedAs === owner
    return this.all.some(({ storedAs }) => storedAs === owner)
  }

  began(tenure: Tenure): void {
    if (this.#each) this.#each.set(tenure.owner, tenure)
    else this.#one = tenure
  }

  ended(tenure: Tenure): void {
    if (this.metBy(tenure.owner) !== tenure) return
    this.#one = undefined
    this.#each?.delete(tenure.owner)
  }

  /**
   * The tenures that cannot be, now that the store has granted the lock for another. Where one owner has it at a time, any other that
   * was believed to have it has lost it. One that is giving it back makes room.
   */
  disprovedBy(granted: Tenure): readonly Tenure[] {
    if (this.empty) return NONE
    const own = this.metBy(granted.owner)
    return this.all.filter(
      (other) => other !== granted && (other === own || (!this.kind.shared && other.state === 'held')),
    )
  }
}
