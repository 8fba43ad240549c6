import { StoreError } from '../../src/base/errors/errors.js'
import type { Entry, EntryWatch } from '../../src/stores/session/line.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import { PassedLink } from './passed-link.js'

/** A link that can be cut: then commands fail, and messages do not arrive. Counts what goes over it. */
export class CutLink extends PassedLink {
  cut = false
  /** What is done, but not answered: a command's name. */
  unanswered: string | undefined
  /** What the server neither does nor answers. */
  hanging: string | undefined
  /** Called before that command arrives; what it returns is waited for. */
  before: ((what: string) => unknown) | undefined
  /** Called when that command is carried out; what it returns is waited for before the answer. */
  meanwhile: ((what: string) => unknown) | undefined
  readonly sent: string[] = []
  /** Messages about others that arrived. */
  news = 0
  #watchesEnded = 0

  /** Watches set so far tell nothing any more: so it is where they end with their session. */
  endWatches(): void {
    this.#watchesEnded += 1
  }

  override watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void): EntryWatch {
    const ended = this.#watchesEnded
    return super.watch(lock, entry, (sure) => {
      if (this.#watchesEnded === ended) onGone(sure)
    })
  }

  protected async pass<Reply>(what: string, send: () => Promise<Reply>): Promise<Reply> {
    this.sent.push(what)
    if (this.cut) throw failure(what)
    if (this.hanging === what) return await new Promise<never>(() => undefined)
    const before = this.before?.(what)
    if (before) await before
    const reply = await send()
    const meanwhile = this.meanwhile?.(what)
    if (meanwhile) await meanwhile
    if (this.unanswered !== what) return reply
    this.unanswered = undefined
    throw failure(what)
  }

  protected deliver(what: 'entry' | 'own entry' | 'cell' | 'question', hear: () => void): void {
    if (this.cut) return
    if (what !== 'own entry') this.news += 1
    hear()
  }
}

function failure(command: string): StoreError {
  return new StoreError('unreachable', command, { transient: true })
}
