import { StoreError, TooManyWaitersError } from '../../base/errors/errors.js'
import { quoted } from '../../base/errors/holdfast-error.js'
import { labelOf, ownerText } from '../../base/identity/label.js'
import { Alarm, type TimerHandle } from '../../base/time/schedule.js'
import { noAnswer } from '../../port/failure.js'
import type { Environment } from '../environment.js'
import type { LocalQueue, Seen } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'

/** How long a store may be silent before those who wait for it are told. */
const SILENT_MS = 1_000

/** One call's time among those that wait: counted, told of, and warned of when it lasts. */
export class Waiting extends Alarm {
  begun = false
  #toldOfHolder = false
  #toldOfTrouble = false
  #onEnd: (() => void) | undefined

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly waiter: Waiter,
  ) {
    super()
  }

  /** @param cause what the store failed with, if nothing is known of the lock for that reason */
  begin(cause: unknown): void {
    const { env, queue, waiter } = this
    const { warnAfterMs } = env.settings
    makeRoom(env, queue, waiter)
    this.begun = true
    waiter.counts = true
    queue.waiters.waiting += 1
    env.metrics.waitBegan()
    env.schedule.set(this, waiter.startedAt + warnAfterMs)
    this.#onEnd = env.onWait?.(waiter)
    if (cause instanceof StoreError) this.#tellOfTrouble(cause)
    // The answer to another call's request is on its way, and names the holder.
    else if (!queue.seen && queue.waiters.asking) queue.waiters.tell(this.#tellOfHolder)
    else this.tell()
  }

  /** A request is under way. Gives what is to be cancelled when the store answers it. */
  expectAnswer(): TimerHandle | undefined {
    const { env, waiter } = this
    const { name, waitMs } = waiter.call
    if (this.#toldOfHolder || this.#toldOfTrouble || waitMs === 0 || !env.events.hears('waiting'))
      return undefined
    const silentAt = env.schedule.clock.now() + SILENT_MS
    return env.schedule.at(silentAt, () => this.#tellOfTrouble(noAnswer(name, env.kind)))
  }

  end(): void {
    if (!this.begun) return
    const { env, queue, waiter } = this
    env.schedule.cancel(this)
    this.#onEnd?.()
    queue.waiters.spare(this.#tellOfHolder)
    if (waiter.counts) queue.waiters.waiting -= 1
    waiter.counts = false
    env.metrics.waitEnded()
  }

  /** Another owner has the lock, by an answer of the store or by what this process knows. */
  tell(): void {
    if (this.#toldOfHolder || !this.begun) return
    this.#toldOfHolder = true
    this.#tell(this.queue.seen)
  }

  readonly #tellOfHolder = (): void => {
    const cause = this.queue.outage?.cause
    if (!this.queue.seen && cause instanceof StoreError) this.#tellOfTrouble(cause)
    else this.tell()
  }

  #tellOfTrouble(cause: StoreError): void {
    if (this.#toldOfTrouble) return
    this.#toldOfTrouble = true
    this.#tell(undefined, cause)
  }

  #tell({ holder, heldSince, until = 0 }: Partial<Seen> = {}, cause?: StoreError): void {
    const { events, schedule } = this.env
    if (!events.hears('waiting')) return
    const { name, caller } = this.waiter.call
    events.emit('waiting', {
      name,
      owner: caller.owner,
      holder,
      holderLabel: holder && labelOf(holder),
      heldSince,
      remainingMs: Math.max(until - schedule.clock.now(), 0),
      cause,
    })
  }

  /** A wait for oneself looks like any other wait: only its length gives it away. */
  ring(): void {
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
        `A call has waited ${Math.round(waitedMs)} ms for lock ${quoted(name)}, which this process itself holds as ` +
        `${ownerText(holder.owner)}. If the waiting code runs inside the guarded section, it waits for itself: nest with withLock() or ` +
        'holdfast.run(), or pass the same { owner }.',
      waiterStack: waiter.calledAt,
      holderStack: holder.takenAt,
    })
  }
}

/**
 * One more call is to wait. Where as many wait as may, on both sides of a lock that has two, the newest call is refused: this one, unless
 * another that came later waits already, because this one has been asking the store meanwhile.
 */
function makeRoom({ settings, kin }: Environment, queue: LocalQueue, waiter: Waiter): void {
  const { maxWaiters } = settings
  const queues = [queue, kin?.otherQueue(queue.name)].filter((each) => each !== undefined)
  if (queues.reduce((sum, { waiters }) => sum + waiters.waiting, 0) < maxWaiters) return
  const refusal = new TooManyWaitersError(queue.name, maxWaiters)
  let newest = { waiter, queue }
  for (const each of queues)
    for (const other of each.waiters.all())
      if (other.counts && other.arrival > newest.waiter.arrival) newest = { waiter: other, queue: each }
  if (newest.waiter === waiter) throw refusal
  newest.waiter.counts = false
  newest.queue.waiters.waiting -= 1
  newest.waiter.cancel(refusal)
}
