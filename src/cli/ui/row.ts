import { createHash } from 'node:crypto'
import { isoTime } from '../../base/time/iso-time.js'
import { flagOf, type KindFlag } from '../kind-flag.js'
import { holderTexts, isLocked, type LockView, stateText, type Waiter } from '../lock-view.js'
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
  /** Those in line, first the next. */
  readonly line: Several
  /** The number of waiting clients, or places; null if unknown. */
  readonly waiting: number | null
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

/** So many that not all are named. */
export interface Several {
  readonly named: readonly string[]
  readonly more: number
}

/** A lock's lease, as its looks tell. */
export interface Lease {
  readonly endsAtMs: number
  readonly fullMs: number
}

/** Names longer than this have no page of their own: browsers and proxies refuse long addresses. */
export const LONGEST_LINKED = 1_000

/** In a list a lock is one line; on its own page there is room. */
export type Room = 'line' | 'page'

const NAMED: Readonly<Record<Room, number>> = { line: 1, page: 50 }

export function rowOf(key: string, lock: LockView, lease: Lease, room: Room): Row {
  const { name, kind, fence, available, waitingClients, line, remainingMs } = lock
  const locked = isLocked(lock)
  const flag = flagOf(lock)
  const most = NAMED[room]
  const ends = locked && Number.isFinite(remainingMs)
  return {
    key,
    name: brief(name),
    href: name.length <= LONGEST_LINKED ? `lock?${new URLSearchParams({ name })}` : null,
    kind: kind ?? 'unknown',
    state: stateText(lock),
    held: locked,
    holders: several(room === 'line' ? lock.owners.map(({ owner }) => who(owner)) : holderTexts(lock), most),
    line: several((line ?? []).map(placeText), most),
    waiting:
      waitingClients === undefined ? (line?.length ?? null) : Math.max(waitingClients, line?.length ?? 0),
    endsAtMs: ends ? Math.round(lease.endsAtMs) : null,
    fullMs: Math.round(lease.fullMs),
    fence: fence === undefined ? null : brief(fence),
    available: available ?? null,
    unlock: locked && flag !== undefined ? { kind: flag, holders: digestOf(lock) } : null,
  }
}

/** What a user has seen of the holders: the same text for the same holders. */
export function digestOf({ owners, count }: LockView): string {
  const seen = JSON.stringify([count ?? null, ...owners.map(({ owner, mode }) => `${mode} ${owner}`).sort()])
  return createHash('sha256').update(seen).digest('base64url')
}

function placeText({ owner, mode, waitsSince }: Waiter): string {
  const since = waitsSince === undefined ? [] : [`since ${isoTime(waitsSince)}`]
  const remarks = [...(mode ? [mode] : []), ...since].join(', ')
  return remarks === '' ? who(owner) : `${who(owner)} (${remarks})`
}

function several(texts: readonly string[], most: number): Several {
  const named = texts.slice(0, most).map(brief)
  return { named, more: texts.length - named.length }
}
