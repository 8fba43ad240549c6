import type { Lock } from '../index.js'
import type { Place } from './place.js'

/** Several locks of a place. */
export function severalIn(place: Place) {
  return {
    /** Names nobody else uses. In a cluster they are of several slots. */
    names(count: number): string[] {
      const name = place.lockName()
      return Array.from({ length: count }, (_, index) => `${name}:${index}`)
    },

    /** As all callers take them. */
    orderOf(locks: readonly Lock[]): readonly Lock[] {
      const rank = ({ name }: Lock): number => place.rankOf(name)
      return [...locks].sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
    },

    async held(locks: readonly Lock[]): Promise<boolean[]> {
      return await Promise.all(locks.map((lock) => lock.isLocked()))
    },
  }
}
