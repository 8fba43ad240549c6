import { leaseDeadline, renewEveryMs } from '../core/lease/lease.js'
import type { StoreSettings } from '../ports/store.js'
import type { TimerHandle } from '../time/schedule.js'
import type { SessionLink } from './link.js'

/** After a keep-alive that failed the next is sent so many times in the time to a regular one. */
const RETRIES = 10

interface Standing {
  readonly id: string
  readonly ttlMs: number
  /** When the last keep-alive was sent that was answered: from then on the server counts, or later. */
  aliveSince: number
}

/**
 * The session of one client: begun when it is first needed, kept alive while something depends on it. By the client's clock it ends a
 * little before the server ends it, so that the client always knows first (rule L3).
 */
export class ClientSession {
  #standing: Standing | undefined
  #beginning: Promise<Standing> | undefined
  #keeping: Promise<boolean> | undefined
  #round: TimerHandle | undefined
  #alarm: TimerHandle | undefined
  #used = false

  constructor(
    private readonly link: SessionLink,
    private readonly settings: StoreSettings,
    /** Everything that depended on it is gone. */
    private readonly onEnd: (cause: unknown) => void,
  ) {}

  /** Since when it is known to be alive, on the lease clock. */
  get aliveSince(): number {
    return this.#standing?.aliveSince ?? -Infinity
  }

  /** A session that has most of its time to go. */
  async fresh(): Promise<string> {
    const standing = this.#standing
    const now = this.settings.schedule.clock.now()
    if (!standing || now >= this.#deadline) return (await this.#begin()).id
    if (now - standing.aliveSince < renewEveryMs(standing.ttlMs)) return standing.id
    return (await this.keepAlive()) ? standing.id : (await this.#begin()).id
  }

  /** Whether anything depends on it: while nothing does it may end, and costs nothing. */
  use(used: boolean): void {
    if (this.#used === used) return
    this.#used = used
    this.#rest()
    if (used && this.#standing) this.#watchOver(this.#standing)
  }

  /** Starts its time anew. False: it has ended. Those who ask at the same time share one command. */
  keepAlive(): Promise<boolean> {
    this.#keeping ??= this.#keepAlive().finally(() => {
      this.#keeping = undefined
    })
    return this.#keeping
  }

  /** The server says that it has ended. */
  ended(id: string, cause?: unknown): void {
    if (this.#standing?.id !== id) return
    this.#standing = undefined
    this.#rest()
    this.onEnd(cause)
  }

  /** Keeps it alive no longer; ends it if nothing depends on it. */
  async close(): Promise<void> {
    const standing = this.#standing
    this.#rest()
    this.#standing = undefined
    if (standing && !this.#used) await this.link.end(standing.id).catch(this.settings.onError)
  }

  get #deadline(): number {
    const { aliveSince, ttlMs } = this.#standing ?? { aliveSince: -Infinity, ttlMs: 0 }
    return leaseDeadline(aliveSince, ttlMs)
  }

  #begin(): Promise<Standing> {
    if (this.#standing) this.ended(this.#standing.id)
    this.#beginning ??= this.#beginNow().finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #beginNow(): Promise<Standing> {
    const aliveSince = this.settings.schedule.clock.now()
    const { session, ttlMs } = await this.link.begin(this.settings.watchdogLeaseMs)
    const standing = { id: session, ttlMs, aliveSince }
    this.#standing = standing
    if (this.#used) this.#watchOver(standing)
    return standing
  }

  async #keepAlive(): Promise<boolean> {
    const standing = this.#standing
    if (!standing) return false
    const sentAt = this.settings.schedule.clock.now()
    const alive = await this.link.keepAlive(standing.id)
    if (!alive) this.ended(standing.id)
    else if (this.#standing === standing) {
      standing.aliveSince = sentAt
      if (this.#alarm) this.settings.schedule.move(this.#alarm, this.#deadline)
    }
    return alive && this.#standing === standing
  }

  #watchOver(standing: Standing): void {
    const { schedule } = this.settings
    this.#alarm = schedule.at(this.#deadline, () => this.ended(standing.id))
    this.#roundAt(standing.aliveSince + renewEveryMs(standing.ttlMs), standing)
  }

  #roundAt(dueAt: number, standing: Standing): void {
    const { schedule, onSuspended } = this.settings
    const everyMs = renewEveryMs(standing.ttlMs)
    this.#round = schedule.at(dueAt, () => {
      const next = (inMs: number): void => {
        if (this.#standing === standing && this.#used) this.#roundAt(schedule.clock.now() + inMs, standing)
      }
      this.keepAlive().then(
        () => next(everyMs),
        (error: unknown) => {
          onSuspended?.(error)
          next(everyMs / RETRIES)
        },
      )
    })
  }

  #rest(): void {
    const { schedule } = this.settings
    schedule.cancel(this.#round)
    schedule.cancel(this.#alarm)
    this.#round = undefined
    this.#alarm = undefined
  }
}
