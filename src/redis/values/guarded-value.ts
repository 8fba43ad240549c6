import type { Guarded, GuardedPort } from '../../ports/guarded-port.js'
import type { Link } from '../connection/link.js'
import { runScript } from '../scripts/script.js'
import { guardedWrite } from '../scripts/scripts.generated.js'

/** Guarded values, each a hash of `value` and `fence` under its key. */
export class RedisGuardedPort implements GuardedPort {
  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
  ) {}

  readGuarded(key: string): Promise<Guarded | undefined> {
    const stored = this.keyPrefix + key
    return this.link.execute(stored, (send) => ({
      about: { command: 'HMGET' },
      start: () => send('HMGET', stored, 'value', 'fence'),
      read: (reply) => {
        const [value, fence]: unknown[] = Array.isArray(reply) ? reply : []
        if (typeof value !== 'string' || typeof fence !== 'string') return undefined
        return { value, fence: BigInt(fence) }
      },
    }))
  }

  writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined> {
    const how = value === undefined ? ['delete'] : ['set', value]
    return runScript(this.link, guardedWrite, this.keyPrefix + key, key, [String(fence), ...how], (reply) =>
      typeof reply === 'string' ? BigInt(reply) : undefined,
    )
  }
}
