import { permitIdsOf, permitOwnerBytes } from '../../base/identity/permit-ids.js'
import type { PermitExpirableSemaphorePort } from '../../port/kind-ports.js'
import { type Entries, permitsIn } from './permits.js'
import { RowPermitsPort } from './permits-port.js'
import type { RowClient } from './row-client.js'

const permitSets = permitsIn('permits')

/** Each permit is an entry, under its id, which names no client. */
const byId: Entries = {
  of: (owner, permits) => new Map(permitIdsOf(owner, permits).map((id) => [id, 1])),
  takenBy(owner, taken) {
    const prefix = permitOwnerBytes(owner).toString('hex')
    return Object.keys(taken).filter((id) => id.startsWith(prefix))
  },
  ownerOf: (taker) => `${taker}:1`,
  clientOf: () => undefined,
}

/** The permit-expirable semaphores of one client: each permit has an id. */
export class RowPermitExpirablePort extends RowPermitsPort implements PermitExpirableSemaphorePort {
  constructor(client: RowClient) {
    super(client, permitSets, byId)
  }

  async acquiredPermits(name: string): Promise<number> {
    return await this.look(name, ({ body }) => Object.keys(body.taken).length)
  }

  async permits(name: string): Promise<number> {
    return await this.look(name, ({ isSet, available, body }) =>
      isSet ? available + Object.keys(body.taken).length : 0,
    )
  }

  async setPermits(name: string, permits: number, request: string): Promise<void> {
    await this.changeOnce(name, request, (semaphore) => {
      if (!semaphore.isSet) semaphore.create(0)
      semaphore.available = permits - Object.keys(semaphore.body.taken).length
      return true
    })
  }

  async releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean> {
    return await this.changeOnce(name, request, (semaphore) => {
      if (!permitIds.every((id) => semaphore.body.taken[id])) return false
      semaphore.giveBack(permitIds)
      return true
    })
  }

  async updateLeaseTime(name: string, permitId: string, leaseMs: number, request: string): Promise<boolean> {
    return await this.changeOnce(name, request, (semaphore) => {
      if (!semaphore.body.taken[permitId]) return false
      semaphore.endIn(permitId, leaseMs)
      return true
    })
  }

  async leaseTime(name: string, permitId: string): Promise<number> {
    return await this.look(name, (semaphore) => semaphore.leaseMs(permitId))
  }
}
