import type { LockPort } from '../port/lock-port.js'
import type { Store, StoreSession } from '../port/store.js'

/** A store that answers nothing and remembers what it was asked: shows that a call sent nothing. */
export class UntouchedStore implements Store {
  readonly asked: string[] = []

  open(): StoreSession {
    const refuse = (call: string): never => {
      this.asked.push(call)
      throw new Error(`${call} should not have been sent`)
    }
    const lock: LockPort = {
      watchesInOrder: true,
      acquire: () => refuse('acquire'),
      abandon: () => refuse('abandon'),
      handOver: () => refuse('handOver'),
      release: () => refuse('release'),
      renew: () => refuse('renew'),
      watch: () => refuse('watch'),
      inspect: () => refuse('inspect'),
      countWatchers: () => refuse('countWatchers'),
      forceUnlock: () => refuse('forceUnlock'),
      list: () => refuse('list'),
    }
    return { lock, close: () => Promise.resolve() }
  }
}
