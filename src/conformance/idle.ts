import type { Holdfast, Lock } from '../index.js'
import type { Place } from './place.js'

/** Waits until nothing is alive in a client any more: no call, hold, renewal, give-back, scope or handle. */
export async function untilIdle(place: Place, holdfast: Holdfast): Promise<void> {
  const left = (): string =>
    Object.entries(holdfast.census)
      .filter(([, count]) => count > 0)
      .map(([sort, count]) => `${sort} ${count}`)
      .join(', ')
  await place.eventually(left, (sorts) => sorts === '')
}

/** How much is alive in a client. */
export function sumOf({ census }: Holdfast): number {
  return Object.values(census).reduce((sum, count) => sum + count, 0)
}

/** How many clients wait for the lock, as the store sees it; where nobody listens there, as they say themselves. */
export async function countWaitingClients(
  place: Place,
  lock: Pick<Lock, 'name' | 'countWaitingClients'>,
): Promise<number> {
  const known = place.countsWaiters ? await lock.countWaitingClients() : undefined
  return known ?? place.countPolling(lock.name)
}

/** Waits until that many clients wait for the lock. */
export async function untilWaiting(
  place: Place,
  lock: Pick<Lock, 'name' | 'countWaitingClients'>,
  clients: number,
): Promise<void> {
  await place.eventually(
    () => countWaitingClients(place, lock),
    (count) => count === clients,
  )
}
