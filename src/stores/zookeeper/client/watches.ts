/** Which nodes this client watches, and for whom. */
export class Watches<News> {
  readonly #listeners = new Map<string, Set<(news: News) => void>>()

  get paths(): readonly string[] {
    return [...this.#listeners.keys()]
  }

  has(path: string): boolean {
    return this.#listeners.has(path)
  }

  /** Whether it is the first of that node. */
  add(path: string, listener: (news: News) => void): boolean {
    const listeners = this.#listeners.get(path) ?? new Set()
    this.#listeners.set(path, listeners.add(listener))
    return listeners.size === 1
  }

  /** Whether it was the last of that node. */
  delete(path: string, listener: (news: News) => void): boolean {
    const listeners = this.#listeners.get(path)
    if (!listeners?.delete(listener) || listeners.size > 0) return false
    return this.#listeners.delete(path)
  }

  tell(path: string, news: News): void {
    for (const listener of [...(this.#listeners.get(path) ?? [])]) listener(news)
  }

  /** Tells them, and forgets them before. */
  tellLast(path: string, news: News): void {
    const listeners = this.#listeners.get(path)
    this.#listeners.delete(path)
    for (const listener of listeners ?? []) listener(news)
  }
}
