import { isOwner, type Owner } from '../../base/identity/owner.js'
import { clientOf } from '../line/place.js'
import type { Line } from './line.js'

/** The key of an entry: its first owner, and its number among all entries of that client. No key comes twice. */
export function keyOf(owner: Owner, number: number): string {
  return `${owner}.${number}`
}

/** The first owner of an entry. For another program's entry the key stands for the owner. */
export function ownerOf(key: string): Owner {
  const owner = key.slice(0, key.lastIndexOf('.'))
  return isOwner(owner) ? owner : `${key.replaceAll(':', '.')}:0`
}

/** How many clients have these entries. */
export function clientsIn(entries: Line): number {
  return new Set(entries.map(({ key }) => clientOf(ownerOf(key)))).size
}
