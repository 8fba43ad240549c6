import type { Owner, Scope } from '../../base/identity/owner.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'

/**
 * The owner that an acquisition of `caller` names to the store: normally the caller's own; a new one if the store has the lock down to
 * it for another call of this process, to which it was handed over (hand-over.ts), or for a tenure that it has lost, or may have it, or
 * may yet hear of a request of that owner's or of what undoes it. Where a lock has two sides the store lets in whoever the other side
 * is down to, and knows no ancestry: only a call that runs within that tenure asks as its owner, a sibling asks as another and takes
 * its turn (rule O2).
 */
export function storedAs(env: Environment, queue: LocalQueue, caller: Scope): Owner {
  const { owner } = caller
  const outer = env.kin?.around(queue.name, caller)
  if (outer) return outer.storedAs
  const known = queue.tenures.storedAs(owner) || env.tenures.lapsed.has(owner)
  const taken = known || env.orphans.mayLive(queue.name, owner)
  return taken || env.kin?.uses(queue.name, owner) ? env.newOwner() : owner
}

/** Whether the store may know that owner by what this kind of lock has asked for. */
export function uses(env: Environment, name: string, owner: Owner): boolean {
  const queue = env.queues.get(name)
  const here =
    queue?.tenures.all.some(({ storedAs }) => storedAs === owner) ||
    queue?.waiters.firstOf(owner) ||
    queue?.waiters.firstWithin(owner)
  return Boolean(here || env.tenures.lapsed.has(owner) || env.orphans.mayLive(name, owner))
}
