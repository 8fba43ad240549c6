import type { LockName } from '../session/lock-name.js'

/** Where an entry is kept. */
interface Slot {
  readonly lock: string
  readonly number: number
  readonly name: string
}

/**
 * The last parts of the keys of one client's entries. They are used again and again, because etcd looks at every key that ever was in a
 * line, until its history is compacted, whenever it reads the line.
 */
export class Slots {
  readonly #ofEntries = new Map<string, Slot>()
  readonly #taken = new Map<string, Set<number>>()
  #generation = 0

  constructor(private readonly clientId: string) {}

  /** Where that entry is kept, or will be. */
  take({ keyspace, name }: LockName, entry: string): string {
    const known = this.#ofEntries.get(entry)
    if (known) return known.name
    const lock = `${this.#generation} ${keyspace} ${name}`
    const taken = this.#taken.get(lock) ?? new Set()
    this.#taken.set(lock, taken)
    let number = 0
    while (taken.has(number)) number += 1
    taken.add(number)
    const slot = { lock, number, name: `${this.clientId}-${this.#generation}-${number}` }
    this.#ofEntries.set(entry, slot)
    return slot.name
  }

  /** Where that entry is kept, if it is one of this client. */
  find(entry: string): string | undefined {
    return this.#ofEntries.get(entry)?.name
  }

  /** Nothing is kept there any more, and nothing that was sent is still to be carried out there. */
  free(entry: string): void {
    const slot = this.#ofEntries.get(entry)
    if (!slot) return
    this.#ofEntries.delete(entry)
    const taken = this.#taken.get(slot.lock)
    taken?.delete(slot.number)
    if (taken?.size === 0) this.#taken.delete(slot.lock)
  }

  /** A request may still be carried out: what it is about is not used again. */
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
