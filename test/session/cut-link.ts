import { StoreError } from '../../src/errors/errors.js'
import { MemoryLink } from '../../src/memory-session/link.js'
import type { AssignRequest, EntryWatch, Line, SessionGrant, StandRequest } from '../../src/session/link.js'

/** A link that can be cut: then commands fail, and messages do not arrive. Counts what goes over it. */
export class CutLink extends MemoryLink {
  cut = false
  /** What is done, but not answered: a command's name. */
  unanswered: string | undefined
  readonly sent: string[] = []
  /** Messages that arrived. */
  news = 0

  async #pass<Reply>(what: string, send: () => Promise<Reply>): Promise<Reply> {
    this.sent.push(what)
    if (this.cut) throw failure(what)
    const reply = await send()
    if (this.unanswered !== what) return reply
    this.unanswered = undefined
    throw failure(what)
  }

  override begin(ttlMs: number): Promise<SessionGrant> {
    return this.#pass('begin', () => super.begin(ttlMs))
  }

  override keepAlive(session: string): Promise<boolean> {
    return this.#pass('keepAlive', () => super.keepAlive(session))
  }

  override stand(request: StandRequest): Promise<Line | undefined> {
    return this.#pass('stand', () => super.stand(request))
  }

  override read(name: string): Promise<Line> {
    return this.#pass('read', () => super.read(name))
  }

  override assign(request: AssignRequest): Promise<boolean> {
    return this.#pass('assign', () => super.assign(request))
  }

  override remove(name: string, key: string): Promise<boolean> {
    return this.#pass('remove', () => super.remove(name, key))
  }

  override watch(name: string, key: string, onGone: () => void): EntryWatch {
    return super.watch(name, key, () => {
      if (this.cut) return
      this.news += 1
      onGone()
    })
  }
}

function failure(command: string): StoreError {
  return new StoreError('unreachable', command, { transient: true })
}
