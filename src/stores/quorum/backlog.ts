import { type Owner, pairOf } from '../../base/identity/owner.js'
import { retryPauseMs } from '../../base/time/back-off.js'
import type { Schedule } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import { isTransient } from '../../port/failure.js'
import type { AcquireRequest, LockPort } from '../../port/lock-port.js'

const DONE = Promise.resolve(true)

interface Debt {
  readonly heldBefore: number
  readonly work: Promise<void>
}

/**
 * The votes of one server, certain or possible, that this client must give back. It repeats each request until the server has answered, or
 * the lease has ended there by itself. While the server is away one request tries and the others wait, so that a dead server costs one
 * command now and then, however long the backlog.
 */
export class Backlog {
  readonly #open = new Map<string, Debt>()
  #closed = false
  /** Why the server is away, while it is. */
  trouble: unknown
  /** Settles when the server answers again, or when the one that tries gives up. */
  #away: Promise<void> | undefined
  #endWaits: (() => void) | undefined
  readonly #closing = new Promise<void>((resolve) => {
    this.#endWaits = resolve
  })

  constructor(
    private readonly port: LockPort,
    private readonly schedule: Schedule,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Settles when all requests of that owner for that lock are undone; undefined if there are none. */
  pending(name: string, owner: Owner): Promise<void> | undefined {
    return this.#open.size === 0 ? undefined : this.#open.get(pairOf(owner, name))?.work
  }

  /**
   * Makes sure that the request leaves no vote behind. Never rejects.
   *
   * @param sent settles with the request: whether the server carried it out.
   */
  giveBack(request: AcquireRequest, sent: Promise<boolean>): Promise<void> {
    const key = pairOf(request.owner, request.name)
    // Its turn may come late.
    sent.catch(() => undefined)
    const work = Promise.resolve(this.#open.get(key)?.work)
      .then(() => this.#settle(request, sent))
      .catch(this.onError)
      .finally(() => {
        if (this.#open.get(key)?.work === work) this.#open.delete(key)
      })
    this.#open.set(key, { heldBefore: request.heldBefore, work })
    return work
  }

  /** Undoes the request, whether or not the server carried it out; settles when that is done. A second call changes nothing. */
  undo(request: AcquireRequest): Promise<void> {
    const open = this.#open.get(pairOf(request.owner, request.name))
    return open?.heldBefore === request.heldBefore ? open.work : this.giveBack(request, DONE)
  }

  /** Tries each once more, unless the server is away; settles when that is over. */
  async close(): Promise<void> {
    this.#closed = true
    this.#endWaits?.()
    await Promise.all([...this.#open.values()].map(({ work }) => work))
  }

  async #settle(request: AcquireRequest, sent: Promise<boolean>): Promise<void> {
    if (!(await mayBeDone(sent))) return
    const goneAt = this.schedule.clock.now() + request.leaseMs
    for (let failures = 1; ; failures += 1) {
      if (this.#away) await withDeadline(this.schedule, goneAt - this.schedule.clock.now(), this.#away)
      // By then the lease has ended there, and the vote with it.
      if (failures > 1 && this.schedule.clock.now() >= goneAt) return
      try {
        await this.port.abandon(request)
        return
      } catch (error) {
        if (!isTransient(error)) throw error
        if (this.#closed) return
        this.trouble = error
        // Unless another one already tries.
        this.#away ??= this.#tryUntilBack(request, goneAt).finally(() => {
          this.#away = undefined
          this.trouble = undefined
        })
      }
    }
  }

  async #tryUntilBack(request: AcquireRequest, goneAt: number): Promise<void> {
    for (let failures = 1; !this.#closed; failures += 1) {
      const pauseMs = retryPauseMs(failures)
      const leftMs = goneAt - this.schedule.clock.now()
      await withDeadline(this.schedule, Math.min(pauseMs, leftMs), this.#closing)
      if (pauseMs >= leftMs || this.#closed) return
      try {
        await this.port.abandon(request)
        return
      } catch (error) {
        if (!isTransient(error)) return
        this.trouble = error
      }
    }
  }
}

/** A request that a server refused for good, or did not grant, has changed nothing; any other may have. */
async function mayBeDone(sent: Promise<boolean>): Promise<boolean> {
  try {
    return await sent
  } catch (error) {
    return isTransient(error)
  }
}
