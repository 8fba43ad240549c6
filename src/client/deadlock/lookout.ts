import { DeadlockError, type LockRole } from '../../base/errors/deadlock-error.js'
import { StoreError } from '../../base/errors/errors.js'
import { KeepAlive } from '../../base/time/keep-alive.js'
import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { Waiter } from '../../core/queue/waiter.js'
import { type Kind, readLock, writeLock } from '../../kinds/kinds.js'
import { type Edge, type HeldLock, lockKeyOf, type SeenEdge } from '../../port/edges-port.js'
import type { OnDeadlock } from '../holdfast-options.js'
import type { Kinds, WaitObserver } from '../registry.js'
import { chase } from './chase.js'
import { idOf, linksOf, victimOf } from './cycles.js'
import type { View } from './view.js'

/** How long a call waits before it leaves an edge. */
const LONG_MS = 500
/** How long it pauses after its first chase, and at the most. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 4_000
/** So many chases a second are made by one client: where more calls wait, each pauses longer. */
const MOST_PER_SECOND = 100
/** How much longer than until the next time an edge is left. */
const SPARE_MS = 2_000
/** More are not told of. */
const MOST_HOLDS = 128
/** A stack is cut after so many characters: its first lines are what people look at. */
const LONGEST_STACK = 2_000

/** How many cycles a client remembers, so that it reports each once. */
const MOST_TOLD = 256

/** One client's eyes for deadlocks: of its calls that wait long while they hold something. See docs/deadlocks.md. */
export class Lookout implements WaitObserver {
  readonly schedule: Schedule
  readonly rejects: boolean
  /** How many calls of the client have left an edge. */
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
  waits(kind: Kind, wait: Waiter): (() => void) | undefined {
    const role = roleOf(kind)
    const { name, unrelated, anyOf = false } = wait.call
    // Nothing is held by an owner that was made for this call. Who waits for any of several is not stuck.
    if (!role || unrelated || anyOf || this.#refused) return undefined
    const within = new WaitWithin(this, wait, { kind: role, name })
    return () => within.end()
  }

  /** Resolves when the edges of calls that have ended are gone. */
  async close(): Promise<void> {
    await Promise.all(this.#cleaning)
    this.#keepAlive.end()
  }

  /** Whether anything would come of a deadlock that is found. */
  get cares(): boolean {
    return this.rejects || this.kinds.events.hears('deadlock')
  }

  /** For an edge that is about to be left. */
  newId({ call }: Waiter): string {
    this.#ids += 1
    this.edges += 1
    return `${call.caller.owner}/${this.#ids}`
  }

  /** The locks that the waiting code runs within: they stay held for as long as it waits. */
  heldBy({ call }: Waiter, waitsFor: LockRole): readonly HeldLock[] {
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

  found(cycle: readonly SeenEdge[], edge: Edge, wait: Waiter): void {
    const links = linksOf(cycle)
    const victim = victimOf(cycle)
    const id = idOf(cycle)
    if (!this.#told.has(id)) {
      this.#told.add(id)
      const [oldest] = this.#told
      if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest)
      this.kinds.events.emit('deadlock', { cycle: links, victim: victim?.owner })
    }
    if (victim?.id === edge.id) wait.cancel(new DeadlockError(edge.waitsFor.name, undefined, links))
  }

  /** Returns whether there is use in another try. */
  failed(error: unknown): boolean {
    if (error instanceof StoreError && error.transient) return true
    // This user may not: nor may another call's.
    const refused = error instanceof StoreError && error.reason === 'permission'
    if (!this.#refused) this.kinds.events.emit('error', error)
    this.#refused ||= refused
    return false
  }

  /** The wait of an edge has ended. */
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

/** One call that waits within a section: when that lasts, it leaves an edge, and looks for a cycle now and then, until the wait ends. */
class WaitWithin {
  #timer: TimerHandle | undefined
  #edge: Edge | undefined
  /** What is under way; never rejects. */
  #work: Promise<void> | undefined
  #ended = false
  #hopeless = false
  #rounds = 0

  constructor(
    private readonly around: Lookout,
    private readonly wait: Waiter,
    private readonly waitsFor: LockRole,
  ) {
    this.#timer = around.schedule.at(wait.startedAt + LONG_MS, () => this.#begin())
  }

  /** The wait has ended, in whatever way: its edge goes, after what is under way (rule K5). */
  end(): void {
    this.#ended = true
    this.around.schedule.cancel(this.#timer)
    if (this.#edge) this.around.over(this.#clean(this.#edge))
  }

  #begin(): void {
    const { around } = this
    this.#work = this.#round().catch((error: unknown) => {
      this.#hopeless = !around.failed(error)
    })
    void this.#work.then(() => this.#pause())
  }

  async #round(): Promise<void> {
    const { around, wait, waitsFor } = this
    const { view, schedule } = around
    const holds = around
      .heldBy(wait, waitsFor)
      .slice(0, MOST_HOLDS)
      .map((hold) => ({ ...hold, takenAt: hold.takenAt?.slice(0, LONGEST_STACK) }))
    if (holds.length === 0) return
    const id = this.#edge?.id ?? around.newId(wait)
    const edge: Edge = {
      id,
      owner: wait.call.caller.owner,
      waitsFor,
      holds,
      rejects: around.rejects,
      waitsAt: wait.calledAt?.slice(0, LONGEST_STACK),
    }
    this.#edge = edge
    this.#rounds += 1
    await view.edges.leave(edge, schedule.clock.now() - wait.startedAt, this.#pauseMs + SPARE_MS)
    if (this.#ended || !around.cares) return
    const cycle = await chase(edge, view)
    if (cycle && !this.#ended) around.found(cycle, edge, wait)
  }

  #pause(): void {
    const { schedule } = this.around
    if (this.#ended || this.#hopeless || !this.#edge) return
    this.#timer = schedule.at(schedule.clock.now() + this.#pauseMs, () => this.#begin())
  }

  /** 1, 1, 2, 4, 4 … seconds. */
  get #pauseMs(): number {
    const grown = FIRST_PAUSE_MS * 2 ** Math.max(this.#rounds - 2, 0)
    const shared = (this.around.edges * 1_000) / MOST_PER_SECOND
    return Math.max(Math.min(grown, LONGEST_PAUSE_MS), shared)
  }

  /** Not before what is under way, which may yet leave the edge. */
  async #clean(edge: Edge): Promise<void> {
    await this.#work
    if (this.#hopeless) return
    await this.around.view.edges.withdraw(edge).catch((error: unknown) => {
      this.around.failed(error)
    })
  }
}

/** Permits and latches are no part of it: who waits for one of several holders is not stuck as long as another one goes on. */
function roleOf(kind: Kind): LockRole['kind'] | undefined {
  if (kind === readLock) return 'read lock'
  if (kind === writeLock) return 'write lock'
  return kind.keyspace === 'lock' ? 'lock' : undefined
}
