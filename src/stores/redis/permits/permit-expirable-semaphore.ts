import type { PermitExpirableSemaphorePort } from '../../../port/kind-ports.js'
import type { LockState } from '../../../port/lock-port.js'
import type { Argument } from '../connection/link.js'
import { permitsKeyOf, REQUEST_KEPT_MS, redissonPermitsKeyOf } from '../keys/semaphore-keys.js'
import type { LockParts } from '../locks/redis-port.js'
import { listIn, textIn, timeLeft } from '../scripts/replies.js'
import { escapeGlob, scanMatching } from '../scripts/scan.js'
import { type Keys, runScript, type Script } from '../scripts/script.js'
import {
  permitsInspect,
  permitsLeaseTime,
  permitsResize,
  permitsReturn,
  permitsUpdateLease,
} from '../scripts/scripts.generated.js'
import { RedisPermitsPort } from './permits-port.js'

/**
 * The permit-expirable semaphore as Redisson's `RPermitExpirableSemaphore` keeps it: the number of available permits, and a sorted
 * set of the ids of taken permits, by the end of each lease. The ids derive from the owner, so the store needs no more.
 */
export class RedisPermitExpirableSemaphorePort
  extends RedisPermitsPort
  implements PermitExpirableSemaphorePort
{
  constructor(parts: LockParts) {
    super(parts, 'permits')
  }

  /** The store knows permits, not their owners: each id counts as a separate owner. */
  inspect(name: string): Promise<LockState> {
    return runScript(this.link, permitsInspect, this.#keys(name), name, [], (reply) => {
      const [first, ...ids] = listIn(reply, 1)
      return {
        name,
        owners: ids.map((id) => ({ owner: `${textIn(id)}:1`, holds: 1 })),
        remainingMs: timeLeft(first),
      }
    })
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    const { link, keyPrefix } = this.parts
    const names = escapeGlob(keyPrefix) + pattern
    const seen = new Set<string>()
    for (const match of [`{${names}}:timeout`, `${names}:timeout`]) {
      for await (const found of scanMatching(link, match, 'zset')) {
        const bare = found.slice(0, -':timeout'.length)
        const key = match.startsWith('{') ? bare.slice(1, -1) : bare
        // Both matches find `{name}:timeout`, which is that of `name`.
        if (redissonPermitsKeyOf(key) !== found || seen.has(found)) continue
        seen.add(found)
        const state = await this.inspect(key.slice(keyPrefix.length))
        if (state.owners.length > 0) yield state
      }
    }
  }

  async acquiredPermits(name: string): Promise<number> {
    return (await this.count(name)).out
  }

  async permits(name: string): Promise<number> {
    const { available, out } = await this.count(name)
    return available + out
  }

  async setPermits(name: string, permits: number, request: string): Promise<void> {
    const args = [permits, REQUEST_KEPT_MS]
    await this.run(permitsResize, name, args, (reply) => this.returned(name, reply), request)
  }

  releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean> {
    return this.#changes(permitsReturn, name, [REQUEST_KEPT_MS, ...permitIds.map(bytesOf)], request)
  }

  updateLeaseTime(name: string, permitId: string, leaseMs: number, request: string): Promise<boolean> {
    const lease = Number.isFinite(leaseMs) ? leaseMs : 0
    return this.#changes(permitsUpdateLease, name, [bytesOf(permitId), lease, REQUEST_KEPT_MS], request)
  }

  leaseTime(name: string, permitId: string): Promise<number> {
    return runScript(this.link, permitsLeaseTime, this.#keys(name), name, [bytesOf(permitId)], timeLeft)
  }

  /** Taken permits go with the number. Redisson leaves them, and their return raises the next number. */
  protected companionsOf(key: string): readonly string[] {
    return [permitsKeyOf(key)]
  }

  #keys(name: string): Keys {
    const key = this.key(name)
    return [key, permitsKeyOf(key)]
  }

  async #changes(script: Script, name: string, args: readonly Argument[], request: string): Promise<boolean> {
    const { permits } = await this.run(script, name, args, (reply) => this.returned(name, reply), request)
    return permits > 0
  }
}

function bytesOf(permitId: string): Buffer {
  return Buffer.from(permitId, 'hex')
}
