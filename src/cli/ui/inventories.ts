import type { Catalogue, Pace } from '../catalogue.js'
import { patternOf } from './chosen.js'
import { type History, Inventory, type Reader } from './inventory.js'
import { PerSecond } from './pace.js'

/** Commands a second, at most, for finding which locks are held: docs/ui.md names the sum with those for looks. */
const FOR_LISTS = 110
/** Where a history is kept, listings have so much less of them while no page is open. */
const SLOWLY = 4

interface Running {
  readonly inventory: Inventory
  readonly controller: AbortController
  users: number
}

/** The inventories that open pages share, one for each filter, and the one that keeps a history. */
export class Inventories {
  readonly #running = new Map<string, Running>()
  readonly #budget = new PerSecond(FOR_LISTS)

  constructor(
    private readonly catalogue: Catalogue,
    private readonly reader: Reader & { readonly pages: number },
  ) {}

  of(filter: string): Inventory | undefined {
    return this.#running.get(filter)?.inventory
  }

  *[Symbol.iterator](): Iterator<Inventory> {
    for (const { inventory } of this.#running.values()) yield inventory
  }

  /** One more uses it: it lists until all have left. */
  enter(filter: string, history?: History): Inventory {
    const running = this.#running.get(filter) ?? this.#start(filter, history)
    running.users += 1
    return running.inventory
  }

  leave(filter: string): void {
    const running = this.#running.get(filter)
    if (!running) return
    running.users -= 1
    if (running.users > 0) return
    running.controller.abort()
    this.#running.delete(filter)
  }

  close(): void {
    for (const { controller } of this.#running.values()) controller.abort()
  }

  #start(filter: string, history?: History): Running {
    const inventory = new Inventory(this.catalogue, patternOf(filter), this.reader, history)
    const controller = new AbortController()
    const { signal } = controller
    const pace: Pace = (commands) =>
      this.#budget.take(commands * (this.reader.pages > 0 ? 1 : SLOWLY), signal)
    const running = { inventory, controller, users: 0 }
    this.#running.set(filter, running)
    inventory.run(pace, signal)
    return running
  }
}
