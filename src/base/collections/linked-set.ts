/** What a {@link LinkedSet} keeps in its items, and nobody else writes. An item is in one such set at a time at most. */
export interface Linked<Item> {
  before: Item | undefined
  behind: Item | undefined
}

/**
 * A set of what comes and goes all the time, in the order in which it came. V8 rebuilds a `Set` of that use again and again, and each
 * discarded table leads to the next one: once the first is old, all of them survive the collector's quick rounds, together with whatever
 * was in them when they were discarded. That was a third of the time of an acquire and release.
 */
export class LinkedSet<Item extends Linked<Item>> {
  #first: Item | undefined
  #last: Item | undefined
  #size = 0

  /** The item that has been in it for longest. */
  get first(): Item | undefined {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  has(item: Item): boolean {
    return item.before !== undefined || this.#first === item
  }

  add(item: Item): void {
    if (this.has(item)) return
    item.before = this.#last
    if (this.#last) this.#last.behind = item
    else this.#first = item
    this.#last = item
    this.#size += 1
  }

  /** False when it was not there. What has left leads to no other item. */
  delete(item: Item): boolean {
    if (!this.has(item)) return false
    const { before, behind } = item
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
    item.before = undefined
    item.behind = undefined
    this.#size -= 1
    return true
  }

  /** Where items are deleted on the way, go through a copy. */
  *[Symbol.iterator](): Iterator<Item> {
    for (let item = this.#first; item; item = item.behind) yield item
  }
}
