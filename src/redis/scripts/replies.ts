import { isOwner, type Owner } from '../../identity/owner.js'
import type { OwnerState } from '../../ports/lock-port.js'

/** What scripts answer with, read. */

export function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : []
}

/** Milliseconds as Redis's PTTL counts them: -1 there is no end, -2 there is no such key. */
export function timeLeft(reply: unknown): number {
  const left = Number(reply ?? 0)
  return left === -1 ? Infinity : Math.max(left, 0)
}

export function ownerIn(reply: unknown): Owner | undefined {
  return typeof reply === 'string' && isOwner(reply) ? reply : undefined
}

/** A time of the server's clock, as milliseconds since 1970: read from these, or from seconds and microseconds, `<seconds> <microseconds>`. */
export function timeIn(reply: unknown): number | undefined {
  if (typeof reply !== 'string') return undefined
  const [seconds, microseconds] = reply.split(' ').map(Number)
  const time =
    microseconds === undefined ? seconds : Number(seconds) * 1_000 + Math.floor(microseconds / 1_000)
  return Number.isSafeInteger(time) && Number(time) > 0 ? time : undefined
}

/**
 * Reads owner, number of holds, owner, number of holds, …: what others have written into the same hash is left out. A field `since` says since
 * when the owner has the lock.
 */
export function ownersIn(fields: readonly unknown[]): OwnerState[] {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field === 'since')
  const heldSince = at < 0 ? undefined : timeIn(fields[at + 1])
  const owners: OwnerState[] = []
  for (let index = 0; index < fields.length; index += 2)
    owners.push(...ownerState(fields[index], fields[index + 1], heldSince))
  return owners
}

/** One that holds, unless what stands there is no owner with its holds. */
export function ownerState(field: unknown, count: unknown, heldSince: number | undefined): OwnerState[] {
  const [owner, holds] = [ownerIn(field), Number(count)]
  if (owner === undefined || !Number.isInteger(holds)) return []
  return [{ owner, holds, ...(heldSince !== undefined && { heldSince }) }]
}
