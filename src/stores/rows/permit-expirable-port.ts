import type { Owner } from '../../base/identity/owner.js'
import { permitIdsOf, permitOwnerBytes } from '../../base/identity/permit-ids.js'
import type { PermitExpirableSemaphorePort } from '../../port/kind-ports.js'
import { type Permits, permitsIn } from './permits.js'
import { RowPermitsPort } from './permits-port.js'
import type { RowClient } from './row-client.js'

const permitSets = permitsIn('permits')

/** The permit-expirable semaphores of one client: each permit is taken under its id. */
export class RowPermitExpirablePort extends RowPermitsPort implements PermitExpirableSemaphorePort {
  constructor(client: RowClient) {
    super(client, permitSets)
  }

  async acquiredPermits(name: string): Promise<number> {
    return await this.look(name, ({ taken }) => Object.keys(taken).length)
  }

  async permits(name: string): Promise<number> {
    return await this.look(name, ({ isSet, available, taken }) =>
      isSet ? available + Object.keys(taken).length : 0,
    )
  }

  async setPermits(name: string, permits: number, request: string): Promise<void> {
    await this.change(name, (semaphore) =>
      this.answer(semaphore, request, () => {
        if (!semaphore.isSet) semaphore.create(0)
        const available = permits - Object.keys(semaphore.taken).length
        const grows = available > semaphore.available
        semaphore.available = available
        if (grows) semaphore.announce()
        return true
      }),
    )
  }

  async releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean> {
    return await this.change(name, (semaphore) =>
      this.answer(semaphore, request, () => {
        if (!permitIds.every((id) => semaphore.taken[id])) return false
        semaphore.giveBack(permitIds)
        semaphore.announce()
        return true
      }),
    )
  }

  async updateLeaseTime(name: string, permitId: string, leaseMs: number, request: string): Promise<boolean> {
    return await this.change(name, (semaphore) =>
      this.answer(semaphore, request, () => {
        if (!semaphore.taken[permitId]) return false
        const before = semaphore.leaseMs(permitId)
        semaphore.endIn(permitId, leaseMs)
        // Waiters sleep until the first end they know of: one that comes nearer is news.
        if (leaseMs < before) semaphore.announce()
        return true
      }),
    )
  }

  async leaseTime(name: string, permitId: string): Promise<number> {
    return await this.look(name, (semaphore) => semaphore.leaseMs(permitId))
  }

  protected entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number> {
    return new Map(permitIdsOf(owner, permits).map((id) => [id, 1]))
  }

  protected takersOf(owner: Owner, { taken }: Permits): readonly string[] {
    const prefix = permitOwnerBytes(owner).toString('hex')
    return Object.keys(taken).filter((id) => id.startsWith(prefix))
  }

  protected ownerOf(taker: string): Owner {
    return `${taker}:1`
  }

  /** An id names no client. */
  protected clientOfTaker(): undefined {
    return undefined
  }
}
