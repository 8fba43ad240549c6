/** Who is to be told of what happens under a name. */
export class Listeners<News> {
  readonly #listeners = new Map<string, Set<(news: News) => void>>()

  get names(): readonly string[] {
    return [...this.#listeners.keys()]
  }

  has(name: string): boolean {
    return this.#listeners.has(name)
  }

  /** Whether it is the first of that name. */
  add(name: string, listener: (news: News) => void): boolean {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return listeners.size === 1
  }

  /** Whether it was the last of that name. */
  delete(name: string, listener: (news: News) => void): boolean {
    const listeners = this.#listeners.get(name)
    if (!listeners?.delete(listener) || listeners.size > 0) return false
    return this.#listeners.delete(name)
  }

  tell(name: string, news: News): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(news)
  }

  /** Tells them, and forgets them before. */
  tellLast(name: string, news: News): void {
    const listeners = this.#listeners.get(name)
    this.#listeners.delete(name)
    for (const listener of listeners ?? []) listener(news)
  }
}
