import { retryPauseMs } from '../../base/time/back-off.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import { isTransient } from '../../port/failure.js'
import { renewEveryMs } from '../../port/lease.js'
import type { StoreSettings } from '../../port/store.js'
import type { SessionLink } from './link.js'

/** How many keep-alives follow a failed one before the next regular one. */
const RETRIES = 10

/** How long a server may take to confirm that an unused session has ended, when its client closes. */
const GOODBYE_MS = 500

interface Standing {
  readonly id: string
  /** How long it surely lives without a further keep-alive. */
  readonly aliveMs: number
  /** When the client sent the last answered keep-alive: the server counts from then, or later. */
  aliveSince: number
}

/**
 * The session of one client. It begins on first use, and the client keeps it alive while something depends on it. By the client's clock it
 * ends before the server ends it, so that the client always knows first (rule L3).
 */
export class ClientSession {
  #standing: Standing | undefined
  #beginning: Promise<Standing> | undefined
  #keeping: Promise<boolean> | undefined
  #round: TimerHandle | undefined
  #alarm: TimerHandle | undefined
  #used = false
  #closed = false

  constructor(
    private readonly link: SessionLink,
    private readonly settings: StoreSettings,
    /** Hears that a session has ended, and with it all that depended on it. */
    private readonly onEnd: (id: string, cause: unknown) => void,
  ) {}

  /** When it last surely lived, on the lease clock. */
  get aliveSince(): number {
    return this.#standing?.aliveSince ?? -Infinity
  }

  /** A session that has most of its time to go. */
  async fresh(): Promise<string> {
    const standing = this.#standing
    const now = this.settings.schedule.clock.now()
    if (!standing || now >= this.#deadline) return (await this.#begin()).id
    if (now - standing.aliveSince < renewEveryMs(standing.aliveMs)) return standing.id
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
    this.onEnd(id, cause)
  }

  /** Keeps it alive no longer; ends it if nothing depends on it. */
  async close(): Promise<void> {
    this.#closed = true
    const { schedule, onError } = this.settings
    const standing = this.#standing
    this.#rest()
    this.#standing = undefined
    if (!standing || this.#used) return
    let waits = true
    const ending = this.link.end(standing.id).catch((error: unknown) => {
      if (waits && !isTransient(error)) onError(error)
    })
    // With no server at hand it ends by itself.
    await withDeadline(schedule, GOODBYE_MS, ending)
    waits = false
  }

  get #deadline(): number {
    const { aliveSince, aliveMs } = this.#standing ?? { aliveSince: -Infinity, aliveMs: 0 }
    return aliveSince + aliveMs
  }

  #begin(): Promise<Standing> {
    if (this.#standing) this.#giveUp(this.#standing)
    this.#beginning ??= this.#beginNow().finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #beginNow(): Promise<Standing> {
    const aliveSince = this.settings.schedule.clock.now()
    const { session, aliveMs } = await this.link.begin(this.settings.watchdogLeaseMs)
    const standing = { id: session, aliveMs, aliveSince }
    // An answer that comes after the close begins nothing: that session ends by itself.
    if (this.#closed) return standing
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
    this.#alarm = schedule.at(this.#deadline, () => this.#giveUp(standing))
    this.#roundAt(standing.aliveSince + renewEveryMs(standing.aliveMs), standing)
  }

  /**
   * Ends a session that is over by the client's clock. Its holders learn that first. The server may still keep it, since a new leader counts
   * the session's time anew, so the client ends it there: otherwise others would wait that long.
   */
  #giveUp({ id }: Standing): void {
    const used = this.#used
    this.ended(id)
    if (used) void this.#endAtServer(id)
  }

  /** Nothing else tells when it is over there: elections may have prolonged it any number of times. */
  async #endAtServer(id: string, failures = 0): Promise<void> {
    const { schedule, onError } = this.settings
    if (this.#closed) return
    try {
      await this.link.end(id)
    } catch (error) {
      if (this.#closed) return
      if (!isTransient(error)) return onError(error)
      const again = failures + 1
      schedule.at(schedule.clock.now() + retryPauseMs(again), () => this.#endAtServer(id, again))
    }
  }

  #roundAt(dueAt: number, standing: Standing): void {
    const { schedule, onSuspended } = this.settings
    const everyMs = renewEveryMs(standing.aliveMs)
    const next = (): number => standing.aliveSince + everyMs
    const goOn = (at: number): void => {
      if (this.#standing === standing && this.#used) this.#roundAt(at, standing)
    }
    this.#round = schedule.at(dueAt, () => {
      // The watchdog may have kept it alive meanwhile.
      if (schedule.clock.now() < next()) {
        goOn(next())
        return
      }
      this.keepAlive().then(
        () => goOn(next()),
        (error: unknown) => {
          onSuspended?.(error)
          goOn(schedule.clock.now() + everyMs / RETRIES)
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
