import type { KeepRequest, KeptValue, ValuesPort } from '../ports/kind-ports.js'
import type { Clock } from '../time/clock.js'
import type { MemoryLocks } from './locks.js'

/** Values of computeOnce in this process, as the scripts `lua/compute-once-*.lua` keep them. All sessions share them. */
export class MemoryComputeOnceValues implements ValuesPort {
  readonly #values = new Map<string, { readonly text: string; readonly until: number }>()

  constructor(
    private readonly locks: MemoryLocks,
    private readonly clock: Clock,
  ) {}

  async read(name: string): Promise<KeptValue | undefined> {
    const value = this.#values.get(name)
    if (!value) return undefined
    const remainingMs = value.until - this.clock.now()
    if (remainingMs > 0) return { text: value.text, remainingMs }
    this.#values.delete(name)
    return undefined
  }

  async keep({ name, owner, text, keepMs }: KeepRequest): Promise<boolean> {
    if (!this.locks.find(name)?.holds.has(owner)) return false
    this.#values.set(name, { text, until: this.clock.now() + keepMs })
    return true
  }
}
