import { isOwner } from '../../base/identity/owner.js'
import type { SemaphorePort } from '../../port/kind-ports.js'
import { clientOf } from '../line/place.js'
import { once } from './answered-requests.js'
import { type Entries, permitsIn } from './permits.js'
import { RowPermitsPort } from './permits-port.js'
import type { RowClient } from './row-client.js'

const semaphores = permitsIn('semaphore')

/** An owner's permits are one entry, under its own name. */
export const byOwner: Entries = {
  of: (owner, permits) => new Map([[owner, permits]]),
  takenBy: (owner, taken) => (taken[owner] ? [owner] : []),
  ownerOf: (taker) => (isOwner(taker) ? taker : undefined),
  clientOf: (taker) => (isOwner(taker) ? clientOf(taker) : undefined),
}

/** The semaphores of one client: permits without a name, each entry an owner's. */
export class RowSemaphorePort extends RowPermitsPort implements SemaphorePort {
  constructor(client: RowClient, entries = byOwner) {
    super(client, semaphores, entries)
  }

  async addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return await this.add(name, delta, request, true)
  }

  async drainPermits(name: string, request: string): Promise<number> {
    return await this.change(name, (semaphore) => {
      const drained = once(semaphore.body.answered, semaphore.now, request, () => {
        const { available } = semaphore
        if (semaphore.isSet) semaphore.available = 0
        return available
      })
      return Number(drained)
    })
  }
}
