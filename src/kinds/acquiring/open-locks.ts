import type { Owner, Scope } from '../../base/identity/owner.js'
import type { Hold } from '../hold.js'

interface Unlockable {
  readonly hold: Hold
  readonly scope: Scope
}

/** So many holds that are over and were never unlocked are remembered, that their `unlock()` can say that the lock was lost. */
const KEPT_OVER = 1_000

/** The holds that were taken with `lock()` and `tryLock()`, whose holder is a scope and not a variable, until `unlock()`. */
export class OpenLocks {
  readonly #byOwner = new Map<Owner, Unlockable[]>()
  #count = 0
  #sweepAt = 2 * KEPT_OVER

  get size(): number {
    return this.#byOwner.size
  }

  add(hold: Hold, scope: Scope): void {
    const open = this.#byOwner.get(hold.owner)
    if (open) open.push({ hold, scope })
    else this.#byOwner.set(hold.owner, [{ hold, scope }])
    this.#count += 1
    if (this.#count > this.#sweepAt) this.#sweep()
  }

  /** Whether {@link take} would find one. */
  has(name: string, caller: Scope): boolean {
    const open = this.#byOwner.get(caller.owner) ?? []
    return open.some(({ hold, scope }) => hold.name === name && reaches(scope, caller))
  }

  /** Takes out the owner's latest hold of that lock which belongs to the calling scope or to one that encloses it. */
  take(name: string, caller: Scope): Hold | undefined {
    const open = this.#byOwner.get(caller.owner)
    if (!open) return undefined
    const index = open.findLastIndex(({ hold, scope }) => hold.name === name && reaches(scope, caller))
    const [found] = index < 0 ? [] : open.splice(index, 1)
    if (found) this.#count -= 1
    if (open.length === 0) this.#byOwner.delete(caller.owner)
    return found?.hold
  }

  /** Takes out what the owner has left locked in scopes that have all ended: it can be unlocked by nobody any more. */
  forget(owner: Owner): readonly Hold[] {
    const open = this.#byOwner.get(owner) ?? []
    const kept = open.filter(({ scope }) => scope.live())
    this.#put(owner, kept)
    this.#count -= open.length - kept.length
    return open.filter(({ scope }) => !scope.live()).map(({ hold }) => hold)
  }

  /** Forgets the longest known of those that are over: a lease of their own has ended, and nobody may ever unlock them. */
  #sweep(): void {
    const over = [...this.#byOwner.values()].flat().filter(({ hold }) => hold.remainingMs() === 0)
    const gone = new Set(over.slice(0, -KEPT_OVER))
    for (const owner of new Set([...gone].map(({ hold }) => hold.owner))) {
      this.#put(
        owner,
        (this.#byOwner.get(owner) ?? []).filter((each) => !gone.has(each)),
      )
    }
    this.#count -= gone.size
    this.#sweepAt = 2 * Math.max(this.#count, KEPT_OVER)
  }

  #put(owner: Owner, open: Unlockable[]): void {
    if (open.length > 0) this.#byOwner.set(owner, open)
    else this.#byOwner.delete(owner)
  }
}

function reaches(scope: Scope, caller: Scope): boolean {
  const live = scope.live()
  return live ? live.encloses(caller) : caller.parent === undefined
}
