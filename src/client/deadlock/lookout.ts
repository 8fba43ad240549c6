import { DeadlockError, type LockRole } from '../../base/errors/deadlock-error.js'
import { StoreError } from '../../base/errors/errors.js'
import { KeepAlive } from '../../base/time/keep-alive.js'
import type { Schedule } from '../../base/time/schedule.js'
import type { LongWait } from '../../core/services.js'
import { type Kind, readLock, writeLock } from '../../kinds/kinds.js'
import { type Edge, type HeldLock, lockKeyOf, type SeenEdge } from '../../port/edges-port.js'
import type { OnDeadlock } from '../holdfast-options.js'
import type { Kinds, WaitObserver } from '../registry.js'
import { idOf, linksOf, victimOf } from './cycles.js'
import { type Surroundings, WaitWithin } from './long-wait.js'
import type { View } from './view.js'

/** How many cycles a client remembers, so that it reports each once. */
const MOST_TOLD = 256

/** One client's eyes for deadlocks: of its calls that wait long while they hold something. See docs/deadlocks.md. */
export class Lookout implements Surroundings, WaitObserver {
  readonly schedule: Schedule
  readonly rejects: boolean
  edges = 0
  readonly #cleaning = new Set<Promise<void>>()
  readonly #keepAlive = new KeepAlive()
  readonly #told = new Set<string>()
  #ids = 0
  /** The store will not have it: there is no use in asking again. */
  #refused = false

  constructor(
    readonly view: View,
    private readonly kinds: Kinds,
    onDeadlock: OnDeadlock,
  ) {
    this.schedule = kinds.schedule
    this.rejects = onDeadlock === 'reject'
  }

  /** A call of that kind waits. Returns what is to be called when it does no longer; nothing if it can be in no deadlock. */
  waits(kind: Kind, wait: LongWait, calledAt: string | undefined): (() => void) | undefined {
    const role = roleOf(kind)
    const { name, unrelated, anyOf = false } = wait.call
    // Nothing is held by an owner that was made for this call. Who waits for any of several is not stuck.
    if (!role || unrelated || anyOf || this.#refused) return undefined
    const within = new WaitWithin(this, wait, { kind: role, name }, calledAt)
    return () => within.end()
  }

  /** Resolves when the edges of calls that have ended are gone. */
  async close(): Promise<void> {
    await Promise.all(this.#cleaning)
    this.#keepAlive.end()
  }

  get cares(): boolean {
    return this.rejects || this.kinds.hears('deadlock')
  }

  newId({ call }: LongWait): string {
    this.#ids += 1
    this.edges += 1
    return `${call.caller.owner}/${this.#ids}`
  }

  /** The locks that the waiting code runs within: they stay held for as long as it waits. */
  heldBy({ call }: LongWait, waitsFor: LockRole): readonly HeldLock[] {
    const held: HeldLock[] = []
    for (const { kind, locker } of this.kinds.used) {
      const role = roleOf(kind)
      if (!role) continue
      for (const { name, storedAs, takenAt } of locker.tenures.around(call)) {
        const hold: HeldLock = { kind: role, name, storedAs, takenAt }
        if (lockKeyOf(hold) !== lockKeyOf(waitsFor)) held.push(hold)
      }
    }
    return held
  }

  found(cycle: readonly SeenEdge[], edge: Edge, wait: LongWait): void {
    const links = linksOf(cycle)
    const victim = victimOf(cycle)
    const id = idOf(cycle)
    if (!this.#told.has(id)) {
      this.#told.add(id)
      const [oldest] = this.#told
      if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest)
      this.kinds.emit('deadlock', { cycle: links, victim: victim?.owner })
    }
    if (victim?.id === edge.id) wait.cancel(new DeadlockError(edge.waitsFor.name, undefined, links))
  }

  failed(error: unknown): boolean {
    if (error instanceof StoreError && error.transient) return true
    // This user may not: nor may another call's.
    const refused = error instanceof StoreError && error.reason === 'permission'
    if (!this.#refused) this.kinds.emit('error', error)
    this.#refused ||= refused
    return false
  }

  over(cleaning: Promise<void>): void {
    this.edges -= 1
    const work = this.#keepAlive
      .during(() => cleaning)
      .finally(() => {
        this.#cleaning.delete(work)
      })
    this.#cleaning.add(work)
  }
}

/** Permits and latches are no part of it: who waits for one of several holders is not stuck as long as another one goes on. */
function roleOf(kind: Kind): LockRole['kind'] | undefined {
  if (kind === readLock) return 'read lock'
  if (kind === writeLock) return 'write lock'
  return kind.keyspace === 'lock' ? 'lock' : undefined
}
