import type { Holdfast, Lock } from '../index.js'
import type { Place } from './place.js'

/** Some locks of one client, of names that nobody else uses. In a cluster they are of several slots. */
export function several(place: Place, count: number, holdfast: Holdfast = place.holdfast()) {
  const name = place.lockName()
  const locks = Array.from({ length: count }, (_, index) => holdfast.lock(`${name}:${index}`))
  return { holdfast, locks, multi: holdfast.multiLock(locks) }
}

/** As all callers take them. */
export function orderOf(place: Place, locks: readonly Lock[]): readonly Lock[] {
  const rank = ({ name }: Lock): number => place.rankOf(name)
  return [...locks].sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
}

export async function held(locks: readonly Lock[]): Promise<boolean[]> {
  return await Promise.all(locks.map((lock) => lock.isLocked()))
}
