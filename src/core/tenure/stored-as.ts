import type { Owner, Scope } from '../../base/identity/owner.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'

/**
 * The owner that an acquisition of `caller` names to the store: the caller's own, unless the store may still know that owner. It does where another
 * call of this process got the lock by a hand-over (hand-over.ts), where a tenure was lost, and where a request, or what undoes it, may
 * still arrive; then the owner is a new one. Where a lock has two sides the store lets in the owner of the other side: only a call that runs
 * within that tenure asks as its owner; a sibling asks as another and takes its turn (rule O2).
 */
export function storedAs(env: Environment, queue: LocalQueue, caller: Scope): Owner {
  const { owner } = caller
  const outer = env.kin?.around(queue.name, caller)
  if (outer) return outer.storedAs
  const taken = queue.tenures.storedAs(owner) || env.orphans.mayLive(queue.name, owner)
  return taken || env.kin?.uses(queue.name, owner) ? env.newOwner() : owner
}

/** Whether the store may know that owner by what this kind of lock has asked for. */
export function uses(env: Environment, name: string, owner: Owner): boolean {
  const queue = env.queues.get(name)
  const here = queue?.tenures.all.some(({ storedAs }) => storedAs === owner) || queue?.waiters.actsFor(owner)
  return here || env.orphans.mayLive(name, owner)
}
