import { isOwner, type Owner } from '../identity/owner.js'
import type { SemaphorePort } from '../ports/kind-ports.js'
import { isNumber } from './answered-requests.js'
import { MemoryPermitsPort } from './permits-port.js'
import type { MemorySemaphore } from './semaphores.js'

/** The semaphore in memory. */
export class MemorySemaphorePort extends MemoryPermitsPort implements SemaphorePort {
  async addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return this.add(name, delta, request, true)
  }

  async drainPermits(name: string, request: string): Promise<number> {
    return this.semaphores.answered.once(request, isNumber, () => {
      const semaphore = this.semaphores.find(name)
      const drained = semaphore?.available ?? 0
      if (semaphore) semaphore.available = 0
      return drained
    })
  }

  protected entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number> {
    return new Map([[owner, permits]])
  }

  protected takersOf(owner: Owner, { taken }: MemorySemaphore): readonly string[] {
    return taken.has(owner) ? [owner] : []
  }

  protected ownerOf(taker: string): Owner | undefined {
    return isOwner(taker) ? taker : undefined
  }
}
