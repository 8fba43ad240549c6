import { isOwner, type Owner } from '../../identity/owner.js'
import type { LockState } from '../../ports/lock-port.js'

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

/** Reads owner, number of holds, owner, number of holds, …: what others have written into the same hash is left out. */
export function ownersIn(fields: readonly unknown[]): LockState['owners'] {
  const owners: Array<LockState['owners'][number]> = []
  for (let index = 0; index < fields.length; index += 2) {
    const [owner, holds] = [ownerIn(fields[index]), Number(fields[index + 1])]
    if (owner !== undefined && Number.isInteger(holds)) owners.push({ owner, holds })
  }
  return owners
}
