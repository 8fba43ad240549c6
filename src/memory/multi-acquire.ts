import type { AcquireReply, AcquireRequest, BatchPort } from '../ports/lock-port.js'
import type { MemoryLocks } from './locks.js'

/** Several locks in memory asked for at once: what the scripts `lua/multi-*.lua` do. */
export class MemoryMultiAcquire implements BatchPort {
  constructor(private readonly locks: MemoryLocks) {}

  placeOf(): number {
    return 0
  }

  async acquireAll(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]> {
    const busy = requests.some((request) => this.#lookAt(request)?.outcome === 'busy')
    return requests.map((request) => (busy ? this.#notTaken(request) : this.#take(request)))
  }

  async acquireOne(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]> {
    const mine = requests.find((request) => this.#lookAt(request)?.outcome === 'granted')
    const chosen = mine ?? requests.find((request) => this.#lookAt(request) === undefined)
    return requests.map((request) => (request === chosen ? this.#take(request) : this.#notTaken(request)))
  }

  #take({ name, owner, leaseMs }: AcquireRequest): AcquireReply {
    const { locks } = this
    const lock = locks.find(name)
    if (lock) lock.expiresAt = Math.max(lock.expiresAt, locks.clock.now() + leaseMs)
    else locks.grant(name, `x:${owner}`, leaseMs)
    return { outcome: 'granted' }
  }

  #notTaken(request: AcquireRequest): AcquireReply {
    return this.#lookAt(request) ?? { outcome: 'busy', remainingMs: 0, holder: undefined }
  }

  /** How things stand without the request; undefined when the lock is free. */
  #lookAt({ name, owner }: AcquireRequest): AcquireReply | undefined {
    const lock = this.locks.find(name)
    if (!lock) return undefined
    if (lock.holds.has(owner)) return { outcome: 'granted' }
    const [holder] = lock.holds.keys()
    return { outcome: 'busy', remainingMs: this.locks.remainingMs(name), holder }
  }
}
