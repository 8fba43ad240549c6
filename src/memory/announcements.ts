import type { News, Watch } from '../ports/lock-port.js'

type Listener<Message> = (message?: Message) => void

/** The channels of a server: names, and their listeners. */
export class MemoryAnnouncements<Message = News> {
  readonly #listeners = new Map<string, Set<Listener<Message>>>()

  /** Calls the listeners after the current task, as a message would arrive. Returns how many there are. */
  announce(name: string, message?: Message): number {
    const listeners = this.#listeners.get(name) ?? []
    let told = 0
    for (const listener of listeners) {
      told += 1
      queueMicrotask(() => {
        if (this.#listeners.get(name)?.has(listener)) listener(message)
      })
    }
    return told
  }

  listen(name: string, listener: Listener<Message>): void {
    const listeners = this.#listeners.get(name)
    if (listeners) listeners.add(listener)
    else this.#listeners.set(name, new Set([listener]))
  }

  ignore(name: string, listener: Listener<Message>): void {
    const listeners = this.#listeners.get(name)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.#listeners.delete(name)
  }

  count(name: string): number {
    return this.#listeners.get(name)?.size ?? 0
  }
}

/** What one client listens to. */
export class MemoryWatches<Message = News> {
  readonly #watches = new Map<Watch, string>()

  constructor(private readonly announcements: MemoryAnnouncements<Message>) {}

  watch(name: string, onMessage: Listener<Message>): Watch {
    // One function may watch twice: each watch counts for itself.
    const listener: Listener<Message> = (message) => onMessage(message)
    this.announcements.listen(name, listener)
    const watch: Watch = {
      confirmed: Promise.resolve(),
      close: () => {
        this.#watches.delete(watch)
        this.announcements.ignore(name, listener)
      },
    }
    this.#watches.set(watch, name)
    return watch
  }

  /** How many of the name's listeners belong to this client. */
  count(name: string): number {
    return [...this.#watches.values()].filter((watched) => watched === name).length
  }

  close(): void {
    for (const watch of [...this.#watches.keys()]) watch.close()
  }
}
