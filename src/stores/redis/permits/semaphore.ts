import type { SemaphorePort } from '../../../port/kind-ports.js'
import type { LockState } from '../../../port/lock-port.js'
import { companionOf } from '../keys/companion-key.js'
import { HOLDERS_OF_PERMITS, REQUEST_KEPT_MS, semaphoreLeasesKeyOf } from '../keys/semaphore-keys.js'
import type { LockParts } from '../locks/redis-port.js'
import { listIn, ownersIn, permitsIn, wholeIn } from '../scripts/replies.js'
import { scanKeys } from '../scripts/scan.js'
import { type Keys, runScript } from '../scripts/script.js'
import { semaphoreDrain, semaphoreInspect } from '../scripts/scripts.generated.js'
import { RedisPermitsPort } from './permits-port.js'

/**
 * The semaphore as Redisson's `RSemaphore` keeps it: the number of available permits. Beside it, Holdfast
 * keeps how many each of its owners has taken and until when, so that a crash returns them and a repeated request counts once; Redisson
 * need not know.
 */
export class RedisSemaphorePort extends RedisPermitsPort implements SemaphorePort {
  constructor(parts: LockParts) {
    super(parts, 'semaphore')
  }

  inspect(name: string): Promise<LockState> {
    const key = this.key(name)
    const keys: Keys = [key, ...this.companionsOf(key)]
    return runScript(this.link, semaphoreInspect, keys, name, [], (reply) => {
      const [first, ...fields] = listIn(reply, 1)
      return { name, owners: ownersIn(fields), remainingMs: wholeIn(first, 0) }
    })
  }

  /** Semaphores with permits of Holdfast's clients: others look like any number. */
  async *list(pattern: string): AsyncIterable<LockState> {
    const { link, keyPrefix } = this.parts
    for (const [before, after] of [
      [`${HOLDERS_OF_PERMITS}:{${keyPrefix}`, '}'],
      [`${HOLDERS_OF_PERMITS}::${keyPrefix}`, ''],
    ] as const) {
      for await (const companion of scanKeys(link, before, pattern + after)) {
        const state = await this.inspect(companion.slice(before.length, companion.length - after.length))
        if (state.owners.length > 0) yield state
      }
    }
  }

  drainPermits(name: string, request: string): Promise<number> {
    return this.run(semaphoreDrain, name, [REQUEST_KEPT_MS], permitsIn, request)
  }

  protected companionsOf(key: string): readonly [leases: string, taken: string] {
    return [semaphoreLeasesKeyOf(key), companionOf(HOLDERS_OF_PERMITS, key)]
  }
}
