import { type LockName, textOf } from '../session/lock-name.js'

/** The last part of an entry's key. */
interface Slot {
  readonly lock: string
  readonly number: number
  readonly name: string
}

/**
 * The last parts of the keys of one client's entries. The client uses them again and again: whenever etcd reads a line, it looks at every
 * key that ever was in it, until its history is compacted.
 */
export class Slots {
  readonly #ofEntries = new Map<string, Slot>()
  readonly #taken = new Map<string, Set<number>>()
  #generation = 0

  constructor(private readonly clientId: string) {}

  /** The slot of that entry, a free one if it has none yet. */
  take(lockName: LockName, entry: string): string {
    const known = this.#ofEntries.get(entry)
    if (known) return known.name
    const lock = `${this.#generation} ${textOf(lockName)}`
    const taken = this.#taken.get(lock) ?? new Set()
    this.#taken.set(lock, taken)
    let number = 0
    while (taken.has(number)) number += 1
    taken.add(number)
    const slot = { lock, number, name: `${this.clientId}-${this.#generation}-${number}` }
    this.#ofEntries.set(entry, slot)
    return slot.name
  }

  /** The slot of that entry, if this client made it. */
  find(entry: string): string | undefined {
    return this.#ofEntries.get(entry)?.name
  }

  /** Frees the slot: the entry is gone, and no request about it is under way. */
  free(entry: string): void {
    const slot = this.#ofEntries.get(entry)
    if (!slot) return
    this.#ofEntries.delete(entry)
    const taken = this.#taken.get(slot.lock)
    taken?.delete(slot.number)
    if (taken?.size === 0) this.#taken.delete(slot.lock)
  }

  /** Uses new slots from now on, since the server may still carry out a request about an old one. */
  renew(): void {
    this.#generation += 1
  }

  /** The session that all entries were of has ended. */
  clear(): void {
    this.#ofEntries.clear()
    this.#taken.clear()
    this.renew()
  }
}
