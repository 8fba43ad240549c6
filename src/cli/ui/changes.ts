import { labelOf } from '../../base/identity/label.js'
import { isLocked, type LockView } from '../lock-view.js'
import { brief } from './brief.js'

/** A lock as it was at one time of the machine's steady clock. */
export interface Sight {
  readonly lock: LockView
  readonly atMs: number
}

export type What = 'taken' | 'gone' | 'expired' | 'passed' | 'retaken' | 'counted'

/** What became of a lock between two looks. */
export interface Change {
  readonly what: What
  /** In a sentence of which the lock is the subject. */
  readonly text: string
}

/** Between looks that are further apart a lease may have been renewed. */
const NEAR_MS = 5_000

/** What must have happened between two looks at one lock; changes that took each other back are not seen. */
export function changesBetween(before: Sight, now: Sight): readonly Change[] {
  const { lock: was } = before
  const { lock: is } = now
  if (was.count !== undefined || is.count !== undefined) return counted(was.count ?? 0, is.count ?? 0)
  const gone = missingIn(is, was)
  const come = missingIn(was, is)
  const apartMs = now.atMs - before.atMs
  const leaseWasOver = isLocked(was) && was.remainingMs <= apartMs
  const [left] = gone
  const [next] = come
  if (left !== undefined && next !== undefined && gone.length + come.length === 2 && !leaseWasOver)
    return [{ what: 'passed', text: passed(left, next) }]
  if (gone.length + come.length === 0 && grew(was.fence, is.fence) && is.owners.length === 1)
    return [{ what: 'retaken', text: `was released and taken again by ${listed(is.owners.map(ownerOf))}` }]
  return [
    ...(gone.length === 0 ? [] : [leaseWasOver ? expired(gone, is, apartMs) : released(gone, is)]),
    ...(come.length === 0 ? [] : [{ what: 'taken' as const, text: `was taken by ${listed(come)}` }]),
  ]
}

/** An owner in few words. */
export function who(owner: string): string {
  return labelOf(owner) ?? brief(owner)
}

/** No more than three of them by name. */
function listed(owners: readonly string[]): string {
  const named = owners.slice(0, 3).map(who)
  return owners.length > named.length
    ? `${named.join(', ')} and ${owners.length - named.length} more`
    : named.join(' and ')
}

function expired(gone: readonly string[], is: LockView, apartMs: number): Change {
  if (apartMs > NEAR_MS && is.owners.length === 0)
    return { what: 'gone', text: `is no longer held; it was held by ${listed(gone)}` }
  if (apartMs > NEAR_MS) return { what: 'gone', text: `is no longer held by ${listed(gone)}` }
  return {
    what: 'expired',
    text: `is no longer held: the lease of ${listed(gone)} was over (lost, unless it was released just before)`,
  }
}

function released(gone: readonly string[], { owners }: LockView): Change {
  const text = owners.length > 0 ? 'is no longer held by' : 'was released, or freed by force; it was held by'
  return { what: 'gone', text: `${text} ${listed(gone)}` }
}

function passed(from: string, to: string): string {
  return who(from) === who(to)
    ? `passed from one section of ${who(from)} to another`
    : `passed from ${who(from)} to ${who(to)}`
}

function counted(was: number, is: number): readonly Change[] {
  if (was === is) return []
  const text = is === 0 ? 'was opened' : is < was ? `was counted down to ${is}` : `was set to ${is}`
  return [{ what: 'counted', text }]
}

/** Tokens are numbers of any size. */
function grew(was: string | undefined, is: string | undefined): boolean {
  if (was === undefined || is === undefined || was === is) return false
  return was.length === is.length ? was < is : was.length < is.length
}

/** The owners of the second view that the first does not have. */
function missingIn(other: LockView, { owners }: LockView): readonly string[] {
  const there = new Set(other.owners.map(ownerOf))
  return owners.map(ownerOf).filter((owner) => !there.has(owner))
}

function ownerOf({ owner }: { readonly owner: string }): string {
  return owner
}
