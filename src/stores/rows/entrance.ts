/** The calls of one client that are joining the line of one lock: how many, and the first call's attempt, which later calls wait for. */
interface Asking {
  calls: number
  readonly first: Promise<unknown>
}

/**
 * Lets the calls of one client join the line of a lock in the order in which they ask. A call that comes alone tries a single statement.
 * Calls that come meanwhile wait for that statement, then change the row together.
 */
export class Entrance<Answer> {
  /** By names of locks. */
  readonly #asking = new Map<string, Asking>()

  /** @param alone resolves to undefined if `change` must decide */
  async enter(
    name: string,
    alone: () => Promise<Answer | undefined>,
    change: () => Promise<Answer>,
  ): Promise<Answer> {
    const known = this.#asking.get(name)
    const attempt = known ? undefined : alone()
    const asking = known ?? { calls: 0, first: settled(attempt) }
    this.#asking.set(name, asking)
    asking.calls += 1
    try {
      if (attempt) return (await attempt) ?? (await change())
      await asking.first
      return await change()
    } finally {
      asking.calls -= 1
      if (asking.calls === 0) this.#asking.delete(name)
    }
  }
}

function settled(attempt: Promise<unknown> | undefined): Promise<unknown> {
  return attempt?.catch(() => undefined) ?? Promise.resolve()
}
