import { createHash } from 'node:crypto'
import { flagOf, type KindFlag } from '../kind-flag.js'
import { isLocked, type LockView, stateText, type Waiter } from '../lock-view.js'
import { brief } from './brief.js'
import { who } from './changes.js'

/** A lock as a page shows it: texts of bounded length, which any program may have chosen. */
export interface Row {
  /** The same for a lock as long as it is shown. */
  readonly key: string
  readonly name: string
  /** The address of its own page; none for a name that is too long for an address. */
  readonly href: string | null
  readonly kind: string
  readonly state: string
  readonly held: boolean
  readonly holders: Several
  /** Since when it is held, in milliseconds since 1970; null if nobody knows. */
  readonly since: number | null
  /** Whether it may be held for longer: it was when it was first looked at. */
  readonly orEarlier: boolean
  /** Those in line, first the next. */
  readonly line: Several
  /** The number of waiting clients, or places; null if unknown. */
  readonly waiting: number | null
  /** Since when the one waits who waits longest; null if unknown, or nobody does. */
  readonly waitsSince: number | null
  /** When the lease ends, by the program's clock; null if it has no end, or there is none. */
  readonly endsAtMs: number | null
  /** What a full bar stands for. */
  readonly fullMs: number
  /** What only some kinds have. */
  readonly fence: string | null
  readonly available: number | null
  /** With what it can be freed: its kind, and a digest of the holders that are shown. */
  readonly unlock: { readonly kind: KindFlag; readonly holders: string } | null
}

/** Somebody who holds, or waits. */
export interface Party {
  /** The label, or the owner. */
  readonly who: string
  /** The owner in full, as far as a page shows it. */
  readonly owner: string
  readonly mode: string | null
  /** Holds, or permits; null for who waits. */
  readonly holds: number | null
  /** In milliseconds since 1970. */
  readonly since: number | null
}

/** So many that not all are named. */
export interface Several {
  readonly named: readonly Party[]
  readonly more: number
}

/** A lock's lease, as its looks tell. */
export interface Lease {
  readonly endsAtMs: number
  readonly fullMs: number
}

/** Since when a lock is held, as far as its looks tell, in milliseconds since 1970. */
export interface Start {
  readonly since: number
  readonly orEarlier: boolean
}

/** Names longer than this have no page of their own: browsers and proxies refuse long addresses. */
export const LONGEST_LINKED = 1_000

/** In a list a lock is one line; on its own page there is room. */
export type Room = 'line' | 'page'

const NAMED: Readonly<Record<Room, number>> = { line: 1, page: 50 }

export function rowOf(key: string, lock: LockView, lease: Lease, start: Start, room: Room): Row {
  const { name, kind, fence, available, line, remainingMs } = lock
  const locked = isLocked(lock)
  const flag = flagOf(lock)
  const most = NAMED[room]
  const ends = locked && Number.isFinite(remainingMs)
  const held = oldestHold(lock)
  return {
    key,
    name: brief(name),
    href: hrefOf(name),
    kind: kind ?? 'unknown',
    state: stateText(lock),
    held: locked,
    holders: several(
      lock.owners.map((each) => ({ ...partyOf(each), holds: each.holds, since: each.heldSince ?? null })),
      most,
    ),
    since: locked && lock.owners.length > 0 ? (held ?? start.since) : null,
    orEarlier: held === undefined && start.orEarlier,
    line: several(
      (line ?? []).map((each) => ({ ...partyOf(each), holds: null, since: each.waitsSince ?? null })),
      most,
    ),
    waiting: waitingOf(lock) ?? null,
    waitsSince: oldestWait(lock) ?? null,
    endsAtMs: ends ? Math.round(lease.endsAtMs) : null,
    fullMs: Math.round(lease.fullMs),
    fence: fence === undefined ? null : brief(fence),
    available: available ?? null,
    unlock: locked && flag !== undefined ? { kind: flag, holders: digestOf(lock) } : null,
  }
}

export function hrefOf(name: string): string | null {
  return name.length <= LONGEST_LINKED ? `lock?${new URLSearchParams({ name })}` : null
}

/** How many wait, as clients or places; undefined if unknown. */
export function waitingOf({ waitingClients, line }: LockView): number | undefined {
  return waitingClients === undefined ? line?.length : Math.max(waitingClients, line?.length ?? 0)
}

/** Since when the one waits who waits longest, where the store tells. */
export function oldestWait({ line = [] }: LockView): number | undefined {
  return least(line.map(({ waitsSince }) => waitsSince))
}

/** Since when it is held without a break, where the store tells. */
export function oldestHold({ owners }: LockView): number | undefined {
  return least(owners.map(({ heldSince }) => heldSince))
}

/** What a user has seen of the holders: the same text for the same holders. */
export function digestOf({ owners, count }: LockView): string {
  const seen = JSON.stringify([count ?? null, ...owners.map(({ owner, mode }) => `${mode} ${owner}`).sort()])
  return createHash('sha256').update(seen).digest('base64url')
}

function least(times: ReadonlyArray<number | undefined>): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

function partyOf({ owner, mode }: Waiter): Pick<Party, 'who' | 'owner' | 'mode'> {
  return { who: brief(who(owner)), owner: brief(owner), mode: mode ?? null }
}

function several(all: readonly Party[], most: number): Several {
  return { named: all.slice(0, most), more: Math.max(0, all.length - most) }
}
