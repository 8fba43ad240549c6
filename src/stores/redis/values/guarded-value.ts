import { StoreError } from '../../../base/errors/errors.js'
import type { Guarded, GuardedPort } from '../../../port/kind-ports.js'
import type { Link } from '../connection/link.js'
import { listIn, textIn } from '../scripts/replies.js'
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
        const [value, fence] = listIn(reply, 2, 2).map((each) => (each === null ? undefined : textIn(each)))
        if (value === undefined || fence === undefined) return undefined
        return { value, fence: tokenIn(fence, 'HMGET', key) }
      },
    }))
  }

  writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined> {
    const how = value === undefined ? ['delete'] : ['set', value]
    return runScript(this.link, guardedWrite, this.keyPrefix + key, key, [String(fence), ...how], (reply) =>
      reply === 1 ? undefined : tokenIn(textIn(reply), guardedWrite.name, key),
    )
  }
}

/** The greatest token seen of a value, unless another program has written something else there. */
function tokenIn(text: string, command: string, lockName: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text)
  const hint = 'The key holds a hash that is no guarded value: choose another name, or a keyPrefix.'
  throw new StoreError('wrong-type', command, { lockName, transient: false, hint })
}
