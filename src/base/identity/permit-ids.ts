import { createHash } from 'node:crypto'
import type { Owner } from './owner.js'

/** How many bytes of an id stand for the owner; the rest is the permit's number. */
const OWNER_BYTES = 12

/**
 * The first bytes of the ids of an owner's permits. Ids are made from the owner, so that a request that is repeated names the
 * same permits, and nobody need remember them.
 */
export function permitOwnerBytes(owner: Owner): Buffer {
  return createHash('sha1').update(owner).digest().subarray(0, OWNER_BYTES)
}

/** The ids of an owner's permits, in hex as Redisson shows them. */
export function permitIdsOf(owner: Owner, permits: number): readonly string[] {
  const prefix = permitOwnerBytes(owner).toString('hex')
  return Array.from({ length: permits }, (_, index) => prefix + index.toString(16).padStart(8, '0'))
}
