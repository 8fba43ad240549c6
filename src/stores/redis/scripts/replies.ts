import { isError } from '../../../base/errors/is-error.js'
import type { Owner } from '../../../base/identity/owner.js'
import type { TenureState } from '../../../port/kind-ports.js'
import type { OwnerState } from '../../../port/lock-port.js'
import { asOwner } from '../../line/place.js'

/**
 * Reading answers of commands and scripts by their exact shape. Any other shape is an {@link UnreadableReply}: a proxy, a server of another
 * kind, a foreign script. A guess could believe in a grant or a time that nobody gave.
 */

/** A reply of a shape that its command never answers with. It tells the type alone: the value may be anything, also a secret. */
export class UnreadableReply extends Error {
  constructor(found: unknown) {
    super(`the answer is ${typeOf(found)}, which this command never answers with`)
  }
}

function typeOf(found: unknown): string {
  if (found === null || found === undefined) return 'nil'
  if (typeof found === 'string' || Buffer.isBuffer(found)) return 'a text'
  if (typeof found === 'number' || typeof found === 'bigint') return 'a number'
  if (Array.isArray(found)) return `a list of ${found.length}`
  return isError(found) ? 'an error' : `a ${typeof found}`
}

export function listIn(reply: unknown, least = 0, most = Infinity): readonly unknown[] {
  if (Array.isArray(reply) && reply.length >= least && reply.length <= most) return reply
  throw new UnreadableReply(reply)
}

/** A list of twos. */
export function pairsIn(reply: readonly unknown[]): ReadonlyArray<readonly [unknown, unknown]> {
  if (reply.length % 2 !== 0) throw new UnreadableReply(reply)
  return Array.from({ length: reply.length / 2 }, (_, at) => [reply[2 * at], reply[2 * at + 1]])
}

export function textIn(reply: unknown): string {
  if (typeof reply === 'string') return reply
  throw new UnreadableReply(reply)
}

/** A whole number of that range. */
export function wholeIn(reply: unknown, least = -Infinity, most = Infinity): number {
  if (typeof reply === 'number' && Number.isSafeInteger(reply) && reply >= least && reply <= most)
    return reply
  throw new UnreadableReply(reply)
}

/** A number of permits: any that a server can count to, which may be more than is exact here. */
export function permitsIn(reply: unknown): number {
  if (typeof reply === 'number' && Number.isInteger(reply) && Math.abs(reply) <= 2 ** 63) return reply
  throw new UnreadableReply(reply)
}

/** 1 or 0. */
export function yesIn(reply: unknown): boolean {
  return wholeIn(reply, 0, 1) === 1
}

/** Milliseconds as Redis's PTTL counts them: -1 there is no end, -2 there is no such key. */
export function timeLeft(reply: unknown): number {
  const left = wholeIn(reply, -2)
  return left === -1 ? Infinity : Math.max(left, 0)
}

/** The owner in a field; undefined if another program has written the field. */
export function ownerIn(reply: unknown): Owner | undefined {
  return asOwner(textIn(reply))
}

/** A time of the server's clock, as milliseconds since 1970: read from these, or from seconds and microseconds, `<seconds> <microseconds>`; whatever stands behind. */
export function timeIn(reply: unknown): number | undefined {
  if (typeof reply !== 'string') return undefined
  const [seconds, microseconds] = reply.split(' ').map(Number)
  const time =
    microseconds === undefined ? seconds : Number(seconds) * 1_000 + Math.floor(microseconds / 1_000)
  return Number.isSafeInteger(time) && Number(time) > 0 ? time : undefined
}

/**
 * Reads owner, number of holds, owner, number of holds, …, and ignores what other programs have written into the hash. The field `since`
 * says since when the owner has the lock.
 */
export function ownersIn(fields: readonly unknown[]): OwnerState[] {
  const pairs = pairsIn(fields)
  const heldSince = timeIn(pairs.find(([field]) => field === 'since')?.[1])
  return pairs.flatMap(([field, count]) => ownerState(field, count, heldSince))
}

/** Whether the process that has the lock may have nobody inside: see lua/parts/holder.lua. */
export function lingers(fields: readonly unknown[]): boolean {
  return String(fields[fields.indexOf('since') + 1]).includes(' lingers')
}

/** One that holds, unless what stands there is no owner with its holds. */
export function ownerState(field: unknown, count: unknown, heldSince: number | undefined): OwnerState[] {
  const [owner, holds] = [ownerIn(field), Number(textIn(count))]
  if (owner === undefined || !Number.isSafeInteger(holds)) return []
  return [{ owner, holds, ...(heldSince !== undefined && { heldSince }) }]
}

/** Reads {1 if it is held else 0, token in decimal or ''}. */
export function tenureReply(reply: unknown): TenureState {
  const [held, fence] = listIn(reply, 2, 2)
  return { held: yesIn(held), lastFence: fenceIn(textIn(fence)) }
}

/** Numbers above 2^53 come as texts. Other programs may have written something else under the counter's name. */
export function fenceIn(text: string): bigint | undefined {
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
}
