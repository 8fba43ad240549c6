import { permitOwnerBytes } from '../../identity/permit-ids.js'
import type { PermitExpirableSemaphorePort } from '../../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
} from '../../ports/lock-port.js'
import { undivided } from '../connection/undivided.js'
import { permitsRenewal } from '../locks/lease-renewals.js'
import { renewEach } from '../locks/renewal.js'
import { listIn, permitsIn, textIn, timeLeft, wholeIn } from '../scripts/replies.js'
import type { Keys } from '../scripts/script.js'
import {
  permitsAcquire,
  permitsCount,
  permitsForceUnlock,
  permitsInspect,
  permitsLeaseTime,
  permitsRelease,
  permitsResize,
  permitsReturn,
  permitsUpdateLease,
} from '../scripts/scripts.generated.js'
import { permitSetsOn } from './permit-sets.js'
import { permitsReply, RedisPermitsPort } from './permits-port.js'
import { permitsKeyOf, REQUEST_KEPT_MS, requestKeyOf } from './semaphore-keys.js'

/**
 * The permit-expirable semaphore as Redisson's `RPermitExpirableSemaphore` keeps it: the number of available permits, and a sorted
 * set of the ids of taken permits, by the time when the lease of each ends. The ids are made from the owner, so the store needs no
 * more.
 */
export class RedisPermitExpirableSemaphorePort
  extends RedisPermitsPort
  implements PermitExpirableSemaphorePort
{
  protected take({ name, owner, leaseMs, permits = 1 }: AcquireRequest): Promise<AcquireReply> {
    const args = [permitOwnerBytes(owner), permits, leaseMs, ...this.announcing(name)]
    return this.run(permitsAcquire, name, this.#undivided(name), args, permitsReply)
  }

  async abandon({ name, owner, permits }: AcquireRequest): Promise<void> {
    await this.release({ name, owner, heldBefore: 1, repeated: true, permits })
  }

  release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner, permits = 0 } = request
    const { breaks } = this.link
    const args = [permitOwnerBytes(owner), permits, ...this.announcing(name)]
    return this.run(
      permitsRelease,
      name,
      this.#undivided(name),
      args,
      async (reply) => await this.released(request, breaks, reply),
    )
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return renewEach(this.link, requests, (request) => permitsRenewal(this.keyPrefix, request))
  }

  /** The store knows permits, not their owners: each id counts as a separate owner. */
  inspect(name: string): Promise<LockState> {
    return this.run(permitsInspect, name, this.#permitsKey(name), [], (reply) => {
      const [first, ...ids] = listIn(reply, 1)
      return {
        name,
        owners: ids.map((id) => ({ owner: `${textIn(id)}:1`, holds: 1 })),
        remainingMs: timeLeft(first),
      }
    })
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.freed(permitsForceUnlock, name, this.#undivided(name))
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const node of await this.link.nodes()) {
      for await (const key of permitSetsOn(node, this.keyPrefix, pattern)) {
        const state = await this.inspect(key.slice(this.keyPrefix.length))
        if (state.owners.length > 0) yield state
      }
    }
  }

  async availablePermits(name: string): Promise<number> {
    return (await this.#count(name)).available
  }

  async acquiredPermits(name: string): Promise<number> {
    return (await this.#count(name)).out
  }

  async permits(name: string): Promise<number> {
    const { available, out } = await this.#count(name)
    return available + out
  }

  async setPermits(name: string, permits: number, request: string): Promise<void> {
    const args = [permits, ...this.announcing(name), REQUEST_KEPT_MS]
    await this.run(
      permitsResize,
      name,
      [...this.#keys(name), this.#requestKey(name, request)],
      args,
      async (reply) => await this.returned(name, reply),
    )
  }

  releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean> {
    const keys: Keys = [...this.#keys(name), this.#requestKey(name, request)]
    const args = [...this.announcing(name), REQUEST_KEPT_MS, ...permitIds.map(bytesOf)]
    return this.run(
      permitsReturn,
      name,
      keys,
      args,
      async (reply) => (await this.returned(name, reply)).permits > 0,
    )
  }

  updateLeaseTime(name: string, permitId: string, leaseMs: number, request: string): Promise<boolean> {
    const lease = Number.isFinite(leaseMs) ? leaseMs : 0
    return this.run(
      permitsUpdateLease,
      name,
      [this.#permitsKey(name), this.#requestKey(name, request)],
      [bytesOf(permitId), lease, ...this.announcing(name), REQUEST_KEPT_MS],
      async (reply) => (await this.returned(name, reply)).permits > 0,
    )
  }

  leaseTime(name: string, permitId: string): Promise<number> {
    return this.run(permitsLeaseTime, name, this.#permitsKey(name), [bytesOf(permitId)], timeLeft)
  }

  /** Unlike Redisson, which leaves out taken permits when the number is set again: their return would raise the new number. */
  protected companionsOf(key: string): readonly string[] {
    return [permitsKeyOf(key)]
  }

  async #count(name: string): Promise<{ available: number; out: number }> {
    const args = this.announcing(name)
    return await this.run(permitsCount, name, this.#undivided(name), args, (reply) => {
      const [available, out] = listIn(reply, 2, 2)
      return { available: permitsIn(available), out: wholeIn(out, 0) }
    })
  }

  #requestKey(name: string, request: string): string {
    return requestKeyOf(this.key(name), request)
  }

  #permitsKey(name: string): string {
    return permitsKeyOf(this.key(name))
  }

  #undivided(name: string): Keys {
    return undivided(this.link, this.#keys(name))
  }

  #keys(name: string): readonly [semaphore: string, permits: string] {
    return [this.key(name), this.#permitsKey(name)]
  }
}

function bytesOf(permitId: string): Buffer {
  return Buffer.from(permitId, 'hex')
}
