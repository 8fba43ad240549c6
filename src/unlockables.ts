import type { Hold } from './hold.js'
import type { Owner, Scope } from './owner.js'

interface Unlockable {
  readonly hold: Hold
  readonly scope: Scope
}

/** The holds that were taken with `lock()` and `tryLock()`, whose holder is a scope and not a variable, until `unlock()`. */
export class Unlockables {
  readonly #byOwner = new Map<Owner, Unlockable[]>()

  get size(): number {
    return this.#byOwner.size
  }

  add(hold: Hold, scope: Scope): void {
    const open = this.#byOwner.get(hold.owner)
    if (open) open.push({ hold, scope })
    else this.#byOwner.set(hold.owner, [{ hold, scope }])
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
    if (open.length === 0) this.#byOwner.delete(caller.owner)
    return found?.hold
  }

  /** Takes out what the owner has left locked in scopes that have all ended: it can be unlocked by nobody any more. */
  forget(owner: Owner): readonly Hold[] {
    const open = this.#byOwner.get(owner) ?? []
    const kept = open.filter(({ scope }) => scope.live())
    if (kept.length > 0) this.#byOwner.set(owner, kept)
    else this.#byOwner.delete(owner)
    return open.filter(({ scope }) => !scope.live()).map(({ hold }) => hold)
  }
}

function reaches(scope: Scope, caller: Scope): boolean {
  const live = scope.live()
  return live ? live.encloses(caller) : caller.parent === undefined
}
