import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import { leaseDeadline, renewEveryMs } from '../../port/lease.js'
import type { Environment } from '../environment.js'
import type { HoldRecord } from '../tenure/tenure.js'

/**
 * Keeps leases that were asked for from ending while other locks are waited for that belong to the same call: their time is to
 * begin when all of them are held.
 */
export class LeaseKeeper {
  readonly #kept: Array<{ readonly env: Environment; readonly grant: HoldRecord }> = []
  #round: TimerHandle | undefined

  constructor(
    private readonly schedule: Schedule,
    private readonly leaseMs: number,
  ) {}

  keep(env: Environment, grant: HoldRecord): void {
    this.#kept.push({ env, grant })
    // From when it was asked for: over a long way much of the lease is over when the answer comes.
    const askedAt = grant.tenure.deadline - leaseDeadline(0, this.leaseMs)
    const dueAt = askedAt + renewEveryMs(this.leaseMs)
    if (!this.#round) this.#round = this.#roundAt(dueAt)
    else if (dueAt < this.#round.dueAt) this.schedule.move(this.#round, dueAt)
  }

  #roundAt(dueAt: number): TimerHandle {
    return this.schedule.at(dueAt, () => {
      this.#round = this.#roundAt(this.schedule.clock.now() + renewEveryMs(this.leaseMs))
      void this.renew()
    })
  }

  /** Starts all leases anew. Settles when that was answered; a failure leaves them as they are. */
  async renew(): Promise<void> {
    const beforeSend = this.schedule.clock.now()
    const standing = this.#kept.filter(({ grant }) => grant.tenure.state === 'held')
    await Promise.allSettled(
      standing.map(async ({ env, grant: { tenure } }) => {
        const { name, storedAs: owner } = tenure
        const leaseMs = this.leaseMs + env.settings.quarantineMs
        const [renewed] = await Promise.all(env.port.renew([{ name, owner, leaseMs }]))
        if (tenure.state !== 'held' || !env.tenures.stillHeld(tenure)) return
        if (!renewed) {
          env.tenures.lose(tenure, 'not-in-store', undefined)
          return
        }
        tenure.extend(leaseDeadline(beforeSend, this.leaseMs))
        this.schedule.move(tenure, tenure.deadline)
      }),
    )
  }

  stop(): void {
    this.schedule.cancel(this.#round)
    this.#round = undefined
    this.#kept.length = 0
  }
}
