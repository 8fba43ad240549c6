import type { SemaphorePort } from '../../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
} from '../../ports/lock-port.js'
import type { NodeLink } from '../connection/link.js'
import { undivided } from '../connection/undivided.js'
import { companionOf } from '../locks/companion-key.js'
import { semaphoreRenewal } from '../locks/lease-renewals.js'
import { renewEach } from '../locks/renewal.js'
import { scanKeys } from '../scan.js'
import { listIn, ownersIn, permitsIn, wholeIn } from '../scripts/replies.js'
import type { Keys } from '../scripts/script.js'
import {
  semaphoreAcquire,
  semaphoreAvailable,
  semaphoreDrain,
  semaphoreForceUnlock,
  semaphoreInspect,
  semaphoreRelease,
} from '../scripts/scripts.generated.js'
import { permitsReply, RedisPermitsPort } from './permits-port.js'
import { HOLDERS_OF_PERMITS, REQUEST_KEPT_MS, requestKeyOf, semaphoreLeasesKeyOf } from './semaphore-keys.js'

/**
 * The semaphore as Redisson's `RSemaphore` keeps it: the number of available permits. Beside it, Holdfast
 * keeps how many each of its owners has taken and until when, so that a crash returns them and a repeated request counts once; Redisson
 * need not know.
 */
export class RedisSemaphorePort extends RedisPermitsPort implements SemaphorePort {
  protected take({ name, owner, leaseMs, permits = 1 }: AcquireRequest): Promise<AcquireReply> {
    const args = [owner, permits, leaseMs, ...this.announcing(name)]
    return this.run(semaphoreAcquire, name, this.#undivided(name), args, permitsReply)
  }

  async abandon({ name, owner }: AcquireRequest): Promise<void> {
    await this.release({ name, owner, heldBefore: 1, repeated: true })
  }

  release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner } = request
    const { breaks } = this.link
    return this.run(
      semaphoreRelease,
      name,
      this.#undivided(name),
      [owner, ...this.announcing(name)],
      async (reply) => await this.released(request, breaks, reply),
    )
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return renewEach(this.link, requests, (request) => semaphoreRenewal(this.keyPrefix, request))
  }

  inspect(name: string): Promise<LockState> {
    return this.run(semaphoreInspect, name, this.#keys(name), [], (reply) => {
      const [first, ...fields] = listIn(reply, 1)
      return { name, owners: ownersIn(fields), remainingMs: wholeIn(first, 0) }
    })
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.freed(semaphoreForceUnlock, name, this.#undivided(name))
  }

  /** Semaphores with permits of Holdfast's clients: others look like any number. */
  async *list(pattern: string): AsyncIterable<LockState> {
    for (const node of await this.link.nodes()) yield* this.#listNode(node, pattern)
  }

  availablePermits(name: string): Promise<number> {
    return this.run(semaphoreAvailable, name, this.#undivided(name), this.announcing(name), (reply) =>
      permitsIn(reply),
    )
  }

  drainPermits(name: string, request: string): Promise<number> {
    const keys: Keys = [...this.#keys(name), requestKeyOf(this.key(name), request)]
    return this.run(semaphoreDrain, name, keys, [REQUEST_KEPT_MS], permitsIn)
  }

  protected companionsOf(key: string): readonly [leases: string, taken: string] {
    return [semaphoreLeasesKeyOf(key), companionOf(HOLDERS_OF_PERMITS, key)]
  }

  async *#listNode(node: NodeLink, pattern: string): AsyncIterable<LockState> {
    const { keyPrefix } = this
    for (const [before, after] of [
      [`${HOLDERS_OF_PERMITS}:{${keyPrefix}`, '}'],
      [`${HOLDERS_OF_PERMITS}::${keyPrefix}`, ''],
    ] as const) {
      for await (const companion of scanKeys(node, before, pattern + after)) {
        const state = await this.inspect(companion.slice(before.length, companion.length - after.length))
        if (state.owners.length > 0) yield state
      }
    }
  }

  #undivided(name: string): Keys {
    return undivided(this.link, this.#keys(name))
  }

  #keys(name: string): readonly [semaphore: string, leases: string, taken: string] {
    const key = this.key(name)
    return [key, ...this.companionsOf(key)]
  }
}
