import { isOwner, type Owner } from '../../base/identity/owner.js'
import type { SemaphorePort } from '../../port/kind-ports.js'
import { clientOf } from '../line/place.js'
import { once } from './answered-requests.js'
import { type Permits, permitsIn } from './permits.js'
import { RowPermitsPort } from './permits-port.js'
import type { RowClient } from './row-client.js'

const semaphores = permitsIn('semaphore')

/** The semaphores of one client: permits without a name, each entry an owner's. */
export class RowSemaphorePort extends RowPermitsPort implements SemaphorePort {
  constructor(client: RowClient) {
    super(client, semaphores)
  }

  async addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return await this.add(name, delta, request, true)
  }

  async drainPermits(name: string, request: string): Promise<number> {
    return await this.change(name, (semaphore) => {
      const drained = once(semaphore.answered, semaphore.now, request, () => {
        const { available } = semaphore
        if (semaphore.isSet) semaphore.available = 0
        return available
      })
      return Number(drained)
    })
  }

  protected entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number> {
    return new Map([[owner, permits]])
  }

  protected takersOf(owner: Owner, { taken }: Permits): readonly string[] {
    return taken[owner] ? [owner] : []
  }

  protected ownerOf(taker: string): Owner | undefined {
    return isOwner(taker) ? taker : undefined
  }

  protected clientOfTaker(taker: string): string | undefined {
    return isOwner(taker) ? clientOf(taker) : undefined
  }
}
