import { isOwner, type Owner } from '../owner.js'

/** A place in line of which too little of the granted lease would be left is confirmed by a command instead. */
const FRESH = 0.5

/** A hold that the store has granted to somebody in line, as it was told. */
export interface ToldGrant {
  readonly member: string
  readonly owner: Owner
  /** When, on the server, in microseconds. */
  readonly atUs: number
  readonly leaseMs: number
  readonly fence: bigint
}

/** What a call that waited was granted: since when at least, on this machine's lease clock. */
export interface LineGrant {
  readonly since: number
  readonly leaseMs: number
  readonly fence: bigint
}

interface Place {
  /** When the command was sent whose answer saw it in line last, and when that was on the server. Undefined while unanswered. */
  seen: { readonly localMs: number; readonly serverUs: number } | undefined
  told: ToldGrant | undefined
}

/**
 * The places of one client in the lines of read-write locks, as far as it knows, and what it was told of them. A message may come
 * late, or before the answer to the command that led to it, since both need not travel on one connection. So a grant counts only
 * if the server made it after it last saw the owner in line; and it is as old as the command by which that was learned, which
 * needs no comparison of clocks.
 */
export class Places {
  readonly #byName = new Map<string, Map<Owner, Place>>()

  /** An acquire that may join the line is about to be sent. */
  asked(name: string, owner: Owner): void {
    const places = this.#byName.get(name) ?? new Map<Owner, Place>()
    this.#byName.set(name, places)
    const place = places.get(owner)
    if (place) place.seen = undefined
    else places.set(owner, { seen: undefined, told: undefined })
  }

  /** The store has answered that it is in line. */
  inLine(name: string, owner: Owner, localMs: number, serverUs: number): void {
    const place = this.#byName.get(name)?.get(owner)
    if (place) place.seen = { localMs, serverUs }
  }

  /** It has entered or left, or nobody knows. */
  left(name: string, owner: Owner): void {
    const places = this.#byName.get(name)
    if (places?.delete(owner) && places.size === 0) this.#byName.delete(name)
  }

  /** Who is in line there. */
  in(name: string): readonly Owner[] {
    return [...(this.#byName.get(name) ?? [])].flatMap(([owner, { seen }]) => (seen ? [owner] : []))
  }

  told(name: string, grant: ToldGrant): void {
    const place = this.#byName.get(name)?.get(grant.owner)
    if (place) place.told = grant
  }

  /** What that owner was granted, if that can be relied on. Once: whoever asks again is to ask the store. */
  take(name: string, owner: Owner, now: number): LineGrant | undefined {
    const place = this.#byName.get(name)?.get(owner)
    if (!place?.told || !place.seen) return undefined
    const { told, seen } = place
    place.told = undefined
    if (told.atUs <= seen.serverUs || seen.localMs + told.leaseMs * FRESH <= now) return undefined
    this.left(name, owner)
    return { since: seen.localMs, leaseMs: told.leaseMs, fence: told.fence }
  }
}

/** A message names the time of the grants (microseconds), their lease, and for each the member and its token. */
export function toldGrants(message: string): readonly ToldGrant[] {
  const [atUs, leaseMs, ...words] = message.split(' ')
  const grants: ToldGrant[] = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [member = '', token = ''] = words.slice(index, index + 2)
    const owner = member.slice(2)
    if (!isOwner(owner) || !/^\d+$/.test(token)) continue
    grants.push({ member, owner, atUs: Number(atUs), leaseMs: Number(leaseMs), fence: BigInt(token) })
  }
  return grants
}
