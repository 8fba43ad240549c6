import type { LockRole } from '../../base/errors/deadlock-error.js'
import { flagOf } from '../kind-flag.js'
import { isLocked, type LockView } from '../lock-view.js'
import { type Change, changesBetween, type Sight } from './changes.js'
import { type Lease, type Room, type Row, rowOf, type Start } from './row.js'

/** A lock that is free stays in sight for so long: most of those that are taken again and again are found again in time. */
const KEEP_MS = 10_000
/** An end of a lease that two looks put as near as this is one end: answers take different times. */
const SAME_MS = 300

interface Seen extends Sight {
  readonly lease: Lease
  readonly start: Start
  /** When it was last held, or waited for. */
  readonly lastBusyMs: number
}

/** The locks of one name, from look to look: most names have one. */
export class Watched {
  /** Why the last look failed. */
  trouble: string | undefined
  readonly #locks = new Map<string, Seen>()
  #lookedAtMs: number | undefined

  constructor(
    readonly name: string,
    private readonly id: number,
  ) {}

  /** Takes what a look has found, and tells what has changed since the last one. */
  update(views: readonly LockView[], atMs: number): readonly Change[] {
    const now = new Map(views.filter(({ kind }) => kind !== undefined).map((view) => [sortOf(view), view]))
    const changes: Change[] = []
    for (const sort of new Set([...this.#locks.keys(), ...now.keys()])) {
      const before = this.#locks.get(sort)
      const lock = now.get(sort) ?? freed(before?.lock ?? { name: this.name, kind: undefined })
      if (this.#lookedAtMs !== undefined) {
        const was = before ?? { lock: freed(lock), atMs: this.#lookedAtMs }
        changes.push(...changesBetween(was, { lock, atMs }))
      }
      const lastBusyMs = isBusy(lock) ? atMs : (before?.lastBusyMs ?? atMs)
      if (atMs - lastBusyMs > KEEP_MS) this.#locks.delete(sort)
      else {
        const start = startOf(lock, atMs, before, this.looked)
        this.#locks.set(sort, { lock, atMs, lease: leaseOf(lock, atMs, before), start, lastBusyMs })
      }
    }
    this.#lookedAtMs = atMs
    return changes
  }

  /** Whether it was looked at. */
  get looked(): boolean {
    return this.#lookedAtMs !== undefined
  }

  /** Whether there is nothing to show any more. */
  get isGone(): boolean {
    return this.looked && this.#locks.size === 0
  }

  /** Those of its locks that are held and waited for, as deadlocks name them. */
  get contended(): readonly LockRole[] {
    return [...this.#locks].flatMap(([sort, { lock }]): readonly LockRole[] => {
      // Where nobody knows how many wait, some may.
      if (!isLocked(lock) || (lock.waitingClients === 0 && !lock.line)) return []
      if (sort === 'lock') return [{ kind: 'lock', name: lock.name }]
      return sort === 'read-write' ? [{ kind: 'write lock', name: lock.name }] : []
    })
  }

  rows(room: Room): readonly Row[] {
    return [...this.#locks].map(([sort, { lock, lease, start }]) =>
      rowOf(`${this.id} ${sort}`, lock, lease, start, room),
    )
  }

  /** Its locks as the last look found them. */
  get views(): readonly LockView[] {
    return [...this.#locks.values()].map(({ lock }) => lock)
  }
}

/** Plain, fair and fenced locks of a name are one lock. */
export function sortOf(lock: LockView): string {
  return flagOf(lock) ?? 'number'
}

function isBusy(lock: LockView): boolean {
  return isLocked(lock) || (lock.waitingClients ?? 0) > 0
}

/** What it is when nobody has it. */
export function freed({ name, kind, count }: Pick<LockView, 'name' | 'kind' | 'count'>): LockView {
  return {
    name,
    kind,
    owners: [],
    remainingMs: 0,
    waitingClients: 0,
    ...(count !== undefined && { count: 0 }),
  }
}

function leaseOf({ remainingMs }: LockView, atMs: number, before: Seen | undefined): Lease {
  const endsAtMs = atMs + remainingMs
  const same = before && Math.abs(before.lease.endsAtMs - endsAtMs) < SAME_MS
  const goesOn = before && before.lease.endsAtMs > atMs
  return {
    endsAtMs: same ? before.lease.endsAtMs : endsAtMs,
    fullMs: goesOn ? Math.max(before.lease.fullMs, remainingMs) : remainingMs,
  }
}

/** The owners that it has now, it has at least since then. */
function startOf({ owners }: LockView, atMs: number, before: Seen | undefined, wasLookedAt: boolean): Start {
  const was = before?.lock.owners ?? []
  const same =
    before !== undefined &&
    was.length === owners.length &&
    was.every(({ owner }, index) => owner === owners[index]?.owner)
  if (same) return before.start
  return { since: Math.round(performance.timeOrigin + atMs), orEarlier: !wasLookedAt }
}
