import { labelOf, ownerText } from '../base/identity/label.js'
import { printable } from '../base/identity/printable.js'
import { isoTime } from '../base/time/iso-time.js'
import type { LockState } from '../port/lock-port.js'
import type { Json } from './output.js'
import { timeText } from './time-text.js'

/** The kind of a lock, as far as Redis shows it. */
export type ShownKind =
  | 'lock'
  | 'fenced lock'
  | 'read-write lock'
  | 'semaphore'
  | 'permit-expirable semaphore'
  | 'count-down latch'
  /** A number that could be either. */
  | 'semaphore or latch'

export type Mode = 'read' | 'write'

export interface Waiter {
  readonly owner: string
  readonly mode?: Mode
  /** Since when it waits, in milliseconds since 1970 by the store's clock, if known. */
  readonly waitsSince?: number | undefined
}

export interface Holder extends Omit<Waiter, 'waitsSince'> {
  /** Since when it holds, in milliseconds since 1970 by the store's clock, if known. */
  readonly heldSince?: number | undefined
  /** For semaphores: permits. */
  readonly holds: number
}

/** A lock of any kind, with everything known about it. */
export interface LockView {
  readonly name: string
  /** Undefined if there is no such lock. */
  readonly kind: ShownKind | undefined
  readonly owners: readonly Holder[]
  /** 0 if there is no lease, Infinity if a lease has no end. */
  readonly remainingMs: number
  /** Its holder's process may have nobody inside, and was not asked. */
  readonly lingers?: boolean
  /** How a read-write lock is held. */
  readonly mode?: Mode | undefined
  /** The last fencing token. */
  readonly fence?: string | undefined
  /** The line in the store, in order. */
  readonly line?: readonly Waiter[] | undefined
  /** The number of available permits. */
  readonly available?: number
  /** The count of a latch. */
  readonly count?: number
  /** The value of a number that could be either. */
  readonly number?: number
  /** Undefined if the server does not allow the count, or it was not requested. */
  readonly waitingClients?: number | undefined
}

type Fields = { readonly [key: string]: Json }

export function isLocked({
  owners,
  remainingMs,
}: Pick<LockState | LockView, 'owners' | 'remainingMs'>): boolean {
  return owners.length > 0 || remainingMs > 0
}

/** The fields of every JSON answer about a lock. `remainingMs` is null if the lease has no end. */
export function stateJson(lock: LockView): Fields {
  const { name, kind = null, owners, remainingMs, mode, fence, line, available, count, number } = lock
  return {
    name,
    kind,
    locked: isLocked(lock),
    owners: owners.map(({ holds, heldSince, ...who }) => ({
      ...waiterJson(who),
      holds,
      ...(heldSince !== undefined && { heldSince: isoTime(heldSince) }),
    })),
    remainingMs: Number.isFinite(remainingMs) ? Math.round(remainingMs) : null,
    ...(mode && { mode }),
    ...(fence !== undefined && { fence }),
    ...(line && { line: line.map(waiterJson) }),
    ...(available !== undefined && { available }),
    ...(count !== undefined && { count }),
    ...(number !== undefined && { number }),
  }
}

function waiterJson({ owner, mode, waitsSince }: Waiter): Fields {
  const label = labelOf(owner)
  return {
    owner,
    ...(label !== undefined && { label }),
    ...(mode && { mode }),
    ...(waitsSince !== undefined && { waitsSince: isoTime(waitsSince) }),
  }
}

export function viewJson(lock: LockView): Fields {
  return { ...stateJson(lock), waitingClients: lock.waitingClients ?? null }
}

/** The word for holds, or permits. */
function holdsText(kind: ShownKind | undefined, holds: number): string {
  const noun = kind?.includes('semaphore') ? 'permit' : 'hold'
  return `${holds} ${holds === 1 ? noun : `${noun}s`}`
}

/** How a moment is told: in a log by itself, on a screen with how long ago it was. */
export type Since = (time: number) => string

export const exactly: Since = (time) => `since ${isoTime(time)}`

/** The store's clock may run ahead of this one. */
export const forSoLong: Since = (time) => `for ${timeText(Math.max(0, Date.now() - time))}, ${exactly(time)}`

/** The owners, one text for each. */
export function holderTexts({ kind, owners }: LockView, since = exactly): string[] {
  return owners.map(({ owner, holds, mode, heldSince }) => {
    const remarks = [
      ...(mode ? [mode] : []),
      ...(holds > 1 ? [holdsText(kind, holds)] : []),
      ...(heldSince === undefined ? [] : [since(heldSince)]),
    ]
    return partyText(owner, remarks)
  })
}

/** An owner and remarks about it, in one pair of brackets with the owner's id where the owner has a label. */
export function partyText(owner: string, remarks: readonly string[]): string {
  const text = ownerText(owner)
  if (remarks.length === 0) return text
  const all = remarks.join(', ')
  return labelOf(owner) === undefined ? `${text} (${all})` : `${text.slice(0, -1)}, ${all})`
}

/** The owners, in a few words. */
export function holderText(lock: LockView): string {
  return lock.owners.length === 0 ? 'an unknown owner' : holderTexts(lock).join(', ')
}

/** Whether somebody else could enter it too. */
export function isOpen({ mode, available = 0 }: LockView): boolean {
  return available > 0 || mode === 'read'
}

/** Whether its lease is about to be renewed, or lost. */
export function endsSoon({ owners, remainingMs }: LockView): boolean {
  return owners.length > 0 && remainingMs < 1_000
}

export function leaseText({ remainingMs }: LockView): string {
  return Number.isFinite(remainingMs) ? `${timeText(remainingMs)} left` : 'has no end'
}

/** How many wait, as far as is known. */
export function waitingCount({ waitingClients, line }: LockView): number | undefined {
  return waitingClients ?? line?.length
}

/** Since when the first of its holders holds it, if known. */
export function heldSince({ owners }: LockView): number | undefined {
  const times = owners.flatMap((owner) => owner.heldSince ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

export function waitingText({ waitingClients }: LockView): string {
  if (waitingClients === undefined)
    return 'unknown (the store does not know it, or does not let this user ask)'
  return `${waitingClients} ${waitingClients === 1 ? 'client' : 'clients'}`
}

/** In a word or two: whether it is free. */
export function stateText(lock: LockView): string {
  const { count, number, mode } = lock
  if (count !== undefined) return count > 0 ? `closed, ${count} to be counted down` : 'open'
  if (number !== undefined) return `${number}: permits available, or the count of a latch`
  if (!isLocked(lock)) return 'free'
  if (lock.lingers) return 'held or kept'
  return mode === undefined ? 'held' : `held to ${mode}`
}

/** Its name in messages. */
export function nounOf({ kind, name }: Pick<LockView, 'kind' | 'name'>): string {
  const noun = kind === 'count-down latch' ? 'Latch' : kind?.includes('semaphore') ? 'Semaphore' : 'Lock'
  return `${noun} "${printable(name)}"`
}
