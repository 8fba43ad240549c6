import { TooManyWaitersError } from '../../errors/errors.js'
import type { Owner } from '../../identity/owner.js'
import type { TimerHandle } from '../../time/schedule.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'

/** One call's time among those that wait: counted, told of, and warned of when it lasts. */
export class Waiting {
  #begun = false
  #warning: TimerHandle | undefined

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly waiter: Waiter,
    private readonly calledAt: string | undefined,
  ) {}

  get begun(): boolean {
    return this.#begun
  }

  begin(holder: Owner | undefined, remainingMs: number): void {
    const { env, queue, waiter } = this
    const { name, caller } = waiter.call
    const { maxWaiters, warnAfterMs } = env.settings
    if (queue.waiting >= maxWaiters) throw new TooManyWaitersError(name, maxWaiters)
    this.#begun = true
    queue.waiting += 1
    env.metrics.waitBegan()
    this.#warning = env.schedule.at(waiter.startedAt + warnAfterMs, () => this.#warn())
    if (!env.events.hears('waiting')) return
    env.events.emit('waiting', { name, owner: caller.owner, holder, remainingMs })
  }

  end(): void {
    if (!this.#begun) return
    this.env.schedule.cancel(this.#warning)
    this.queue.waiting -= 1
    this.env.metrics.waitEnded()
  }

  /** A wait for oneself looks like any other wait: only its length gives it away. */
  #warn(): void {
    const { env, queue, waiter } = this
    const { name } = queue
    const holder = queue.tenures.all.find(({ state }) => state === 'held')
    if (!holder) return
    const waitedMs = env.schedule.clock.now() - waiter.startedAt
    env.events.emit('warning', {
      code: 'LONG_LOCAL_WAIT',
      name,
      owner: waiter.caller.owner,
      holder: holder.owner,
      waitedMs,
      message:
        `A call has waited ${Math.round(waitedMs)} ms for lock "${name}", which this process itself holds as ` +
        `${holder.owner}. If the waiting code runs inside the guarded section, it waits for itself: nest with withLock() or ` +
        'holdfast.run(), or pass the same { owner }.',
      waiterStack: this.calledAt,
      holderStack: holder.takenAt,
    })
  }
}
