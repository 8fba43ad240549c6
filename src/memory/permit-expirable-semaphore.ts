import type { Owner } from '../identity/owner.js'
import { permitIdsOf, permitOwnerBytes } from '../identity/permit-ids.js'
import type { PermitExpirableSemaphorePort } from '../ports/kind-ports.js'
import { isBoolean } from './answered-requests.js'
import { MemoryPermitsPort } from './permits-port.js'
import type { MemorySemaphore } from './semaphores.js'

/** The permit-expirable semaphore in memory: each permit is taken under its id. */
export class MemoryPermitExpirableSemaphorePort
  extends MemoryPermitsPort
  implements PermitExpirableSemaphorePort
{
  async acquiredPermits(name: string): Promise<number> {
    return this.semaphores.find(name)?.taken.size ?? 0
  }

  async permits(name: string): Promise<number> {
    const semaphore = this.semaphores.find(name)
    return semaphore ? semaphore.available + semaphore.taken.size : 0
  }

  async setPermits(name: string, permits: number): Promise<void> {
    const semaphore = this.semaphores.find(name) ?? this.semaphores.create(name, 0)
    const available = permits - semaphore.taken.size
    const grows = available > semaphore.available
    semaphore.available = available
    if (grows) this.semaphores.announce(name, semaphore)
  }

  async releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean> {
    return this.semaphores.answered.once(request, isBoolean, () => {
      const semaphore = this.semaphores.find(name)
      if (!semaphore || !permitIds.every((id) => semaphore.taken.has(id))) return false
      semaphore.giveBack(permitIds)
      this.semaphores.announce(name, semaphore)
      return true
    })
  }

  async updateLeaseTime(name: string, permitId: string, leaseMs: number): Promise<boolean> {
    const semaphore = this.semaphores.find(name)
    const taken = semaphore?.taken.get(permitId)
    if (!semaphore || !taken) return false
    const before = taken.endsAt
    taken.endsAt = this.now() + leaseMs
    // Waiters sleep until the first end they know of: one that comes nearer is news.
    if (taken.endsAt < before) this.semaphores.announce(name, semaphore)
    return true
  }

  async leaseTime(name: string, permitId: string): Promise<number> {
    const taken = this.semaphores.find(name)?.taken.get(permitId)
    return taken ? taken.endsAt - this.now() : 0
  }

  protected entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number> {
    return new Map(permitIdsOf(owner, permits).map((id) => [id, 1]))
  }

  protected takersOf(owner: Owner, { taken }: MemorySemaphore): readonly string[] {
    const prefix = permitOwnerBytes(owner).toString('hex')
    return [...taken.keys()].filter((id) => id.startsWith(prefix))
  }

  protected ownerOf(taker: string): Owner {
    return `${taker}:1`
  }
}
