import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { begin } from './begin.js'
import { defaultLabel, newClientId } from './label.js'

/**
 * The holder of a lock: `<clientId>:<number>`, the format of Redisson's `uuid:threadId`. Each `Holdfast` has one clientId, a UUIDv4 and
 * behind it the client's label, which `labelOf` reads; the number counts its logical threads.
 */
export type Owner = `${string}:${number}`

/**
 * An owner that no client has, with the label of the last one: a lock that it holds is nobody's until its lease ends, even if the last
 * holder's process is known to be gone.
 */
export function nobody(last: string): Owner {
  return `${randomUUID()}${/~[^:]*/.exec(last)?.[0] ?? ''}:0`
}

/** Whether a text has the format of an owner, of any client. */
export function isOwner(text: string): text is Owner {
  return /^[^:]+:\d+$/.test(text)
}

/** An owner and the name of a lock in one text, another one for each two. */
export function pairOf(owner: Owner, name: string): string {
  return `${owner} ${name}`
}

/**
 * A stretch of asynchronous execution in which one owner acts: a `run`, the body of a `withLock`, a `hold.run`. Scopes nest;
 * a nested scope has its parent's owner. The tree is what tells an enclosing section from a sibling (rule O2): siblings share
 * the owner, but neither encloses the other.
 */
export class Scope {
  private ended = false

  constructor(
    readonly owner: Owner,
    readonly parent: Scope | undefined,
  ) {}

  /** From now on work that still runs with this scope as its context is no part of it any more (rule O3). */
  end(): void {
    this.ended = true
  }

  /** This scope, or the nearest enclosing one that has not ended; `undefined` when all have. */
  live(): Scope | undefined {
    let scope: Scope | undefined = this
    while (scope?.ended) scope = scope.parent
    return scope
  }

  /**
   * Whether `other` is this scope or lies within it. Two root scopes of one owner are the same scope: an owner that is passed
   * explicitly gets a fresh root at every call, and they all stand for the same logical thread.
   */
  encloses(other: Scope): boolean {
    for (let scope: Scope | undefined = other; scope; scope = scope.parent) {
      if (scope === this) return true
      if (!scope.parent && !this.parent) return scope.owner === this.owner
    }
    return false
  }
}

/** What the running code is part of: a scope of each client that has one, the latest first. */
interface Context {
  readonly owners: Owners
  readonly scope: Scope
  readonly outer: Context | undefined
}

/**
 * One storage for all clients of the process: before Node 24 each storage in use slows every promise a little, for ever. It is
 * only ever `run`, never `enterWith`: the latter would leak the owner into the caller's siblings (rule O4).
 */
const contexts = new AsyncLocalStorage<Context>()

/** Hands out owners, and knows which scope the running code is in. */
export class Owners {
  /** Made once: the first half of every owner of this client. */
  readonly clientId: string
  #lastNumber = 0

  constructor(label = defaultLabel()) {
    this.clientId = newClientId(label)
  }

  next(): Owner {
    this.#lastNumber += 1
    return `${this.clientId}:${this.#lastNumber}`
  }

  /** Whether this client has handed out that owner. */
  issued(owner: Owner): boolean {
    const number = Number(owner.slice(owner.lastIndexOf(':') + 1))
    return owner === `${this.clientId}:${number}` && number >= 1 && number <= this.#lastNumber
  }

  /** The scope the running code is in, ended scopes not counted. */
  current(): Scope | undefined {
    let context = contexts.getStore()
    while (context && context.owners !== this) context = context.outer
    return context?.scope.live()
  }

  /** For whom the running code acts (rule O1): the explicit owner, else the surrounding scope's, else nobody yet. */
  caller(explicit: Owner | undefined): Scope | undefined {
    const current = this.current()
    if (explicit === undefined || current?.owner === explicit) return current
    return new Scope(explicit, undefined)
  }

  /** Runs `body` with `scope` as its context and ends the scope when the body has settled. */
  async within<Result>(scope: Scope, body: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    try {
      return await this.enter(scope, body)
    } finally {
      scope.end()
    }
  }

  /** Runs `body` with `scope` as its context; the caller ends the scope. */
  enter<Result>(scope: Scope, body: () => Result): Result | Promise<Awaited<Result>> {
    return contexts.run({ owners: this, scope, outer: this.#others(contexts.getStore()) }, begin, body)
  }

  /** The context without this client's part, which is about to be replaced, and without what has ended: so it cannot grow. */
  #others(context: Context | undefined): Context | undefined {
    if (!context) return undefined
    const outer = this.#others(context.outer)
    if (context.owners === this || !context.scope.live()) return outer
    return outer === context.outer ? context : { ...context, outer }
  }
}
