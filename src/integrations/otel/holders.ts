import type { SpanContext } from '@opentelemetry/api'

/** A lock, of one kind and name, that calls of the client ask for or hold. */
interface Known {
  /** Calls that ask for it, and holds: when there are none it is forgotten. */
  users: number
  readonly holds: Set<SpanContext>
  lastEnded: SpanContext | undefined
}

/** Identifies a lock: locks of several kinds may have one name. */
export interface LockKey {
  readonly kind: string
  readonly name: string
}

/** The spans of the holds of each lock, as far as this client knows of them, for the calls that wait for it. */
export class Holders {
  readonly #locks = new Map<string, Known>()

  /** A call asks for the lock, or somebody holds it, until {@link left}. */
  used(key: LockKey): Known {
    const text = textOf(key)
    const lock = this.#locks.get(text) ?? { users: 0, holds: new Set(), lastEnded: undefined }
    lock.users += 1
    this.#locks.set(text, lock)
    return lock
  }

  left(key: LockKey): void {
    const text = textOf(key)
    const lock = this.#locks.get(text)
    if (!lock) return
    lock.users -= 1
    if (lock.users === 0) this.#locks.delete(text)
  }

  began(key: LockKey, span: SpanContext): void {
    this.used(key).holds.add(span)
  }

  ended(key: LockKey, span: SpanContext): void {
    const lock = this.#locks.get(textOf(key))
    if (!lock?.holds.delete(span)) return
    lock.lastEnded = span
    this.left(key)
  }

  /** The holds that stand. */
  current(key: LockKey): Iterable<SpanContext> {
    return this.#locks.get(textOf(key))?.holds ?? []
  }

  /** The hold that ended last, while a call asks for the lock. */
  last(key: LockKey): SpanContext | undefined {
    return this.#locks.get(textOf(key))?.lastEnded
  }
}

function textOf({ kind, name }: LockKey): string {
  return `${kind}:${name}`
}
