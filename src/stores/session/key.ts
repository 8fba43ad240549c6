import { isOwner, type Owner } from '../../base/identity/owner.js'

/** The key of an entry: who it was made for, and the number of the entry among all of that client. It never comes twice. */
export function keyOf(owner: Owner, number: number): string {
  return `${owner}.${number}`
}

/** Who an entry was made for. One of another program is shown under its key. */
export function ownerOf(key: string): Owner {
  const owner = key.slice(0, key.lastIndexOf('.'))
  return isOwner(owner) ? owner : `${key.replaceAll(':', '.')}:0`
}
