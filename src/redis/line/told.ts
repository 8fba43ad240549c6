import { isOwner, type Owner } from '../../owner.js'

/** What a process is told of one of its places. */
export type Told = ToldGrant | ToldLook

/** The lock was granted to it, by the server's time. */
export interface ToldGrant {
  readonly owner: Owner
  readonly serverMs: number
  readonly leaseMs: number
  /** In decimal; `-` where the lock has none. */
  readonly token: string
}

/** It is the first in line, and the lock ends sooner than it would look. */
export interface ToldLook {
  readonly owner: Owner
  readonly inMs: number
}

/** Reads "time lease place token …", or "place left", as the scripts publish it; nothing of anything else. */
export function toldIn(message: string): readonly Told[] {
  const [first = '', second, ...grants] = message.split(' ')
  if (grants.length === 0) {
    const owner = ownerOf(first)
    return owner && Number(second) >= 0 ? [{ owner, inMs: Number(second) }] : []
  }
  const [serverMs, leaseMs] = [Number(first), Number(second)]
  const told: ToldGrant[] = []
  for (let index = 0; index + 1 < grants.length; index += 2) {
    const [place = '', token = ''] = grants.slice(index, index + 2)
    const owner = ownerOf(place)
    if (owner && Number.isFinite(serverMs) && leaseMs > 0) told.push({ owner, serverMs, leaseMs, token })
  }
  return told
}

/** A place is `<mode>:<owner>`. */
function ownerOf(place: string): Owner | undefined {
  const owner = place.slice(place.indexOf(':') + 1)
  return isOwner(owner) ? owner : undefined
}
