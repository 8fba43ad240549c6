import type { KeepRequest, KeptValue, ValuesPort } from '../../port/kind-ports.js'
import { ExclusiveLock, exclusiveLocks } from './exclusive-lock.js'
import type { RowClient } from './row-client.js'

/** Values of `computeOnce`, each in the row of the lock of its name. */
export class RowValuesPort implements ValuesPort {
  constructor(private readonly client: RowClient) {}

  async read(name: string): Promise<KeptValue | undefined> {
    return await this.client.look(exclusiveLocks, name, (draft) => new ExclusiveLock(name, draft).value)
  }

  async keep({ name, owner, text, keepMs }: KeepRequest): Promise<boolean> {
    return await this.client.change(exclusiveLocks, name, (draft) => {
      const lock = new ExclusiveLock(name, draft)
      if (lock.owner !== owner) return false
      lock.value = { text, remainingMs: keepMs }
      return true
    })
  }
}
