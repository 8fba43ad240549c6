import type { Scope } from '../../identity/owner.js'
import type { Environment } from '../environment.js'
import type { HoldRecord, Tenure } from './tenure.js'

/** The tenure on the other side of the lock within which `caller` runs. */
export function around({ otherSide }: Environment, name: string, caller: Scope): Tenure | undefined {
  const queue = otherSide?.queues.get(name)
  const tenure = queue && otherSide?.tenures.current(queue, caller.owner)
  return tenure?.state === 'held' && tenure.admits(caller) ? tenure : undefined
}

/**
 * That hold was granted: what stands against it on the other side is over, what runs within it may enter. Where the store itself
 * has just said so, no rival has the lock.
 */
export function confirm(env: Environment, { tenure, handedOver }: HoldRecord): void {
  const { otherSide, rivals } = env
  if (!handedOver)
    for (const rival of rivals)
      for (const other of rival.tenuresOf(tenure.name))
        if (other.state === 'held') rival.tenures.lose(other, 'not-in-store', undefined)
  if (!otherSide) return
  for (const other of otherSide.tenuresOf(tenure.name)) {
    if (other.state !== 'held') continue
    if (other.storedAs === tenure.storedAs) {
      tenure.beside = other
      other.beside = tenure
    } else {
      otherSide.tenures.lose(other, 'not-in-store', undefined)
    }
  }
  letIn(env, tenure)
}

/** What a tenure holds has changed: calls for the other side that run within it need no turn of their own any more. */
export function letIn({ otherSide }: Environment, tenure: Tenure): void {
  const queue = otherSide?.queues.get(tenure.name)
  if (!queue) return
  if (tenure.state === 'held') for (const waiter of queue.waiters.admittedBy(tenure)) waiter.wakeUp.release()
  if (tenure.beside?.state === 'held') queue.policy.wakeNext(tenure.owner)
}
