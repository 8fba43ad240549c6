import type { Scope } from '../../base/identity/owner.js'
import type { Call } from '../acquire/call.js'
import type { Environment } from '../environment.js'
import type { HoldRecord, Tenure } from './tenure.js'

/** The tenure on the other side of the lock within which `caller` runs. */
export function around({ otherSide }: Environment, name: string, caller: Scope): Tenure | undefined {
  return otherSide && sectionIn(otherSide, name, caller)
}

/**
 * Whether the call is made within a section of its own owner, and one of the two is not reentrant. Kinds of one lock never enter each other.
 * @param own the tenure of its owner that it meets, if any
 */
export function isNested(
  { rivals }: Environment,
  { name, caller, reentrant = true }: Call,
  own: Tenure | undefined,
): boolean {
  if (own && isSection(own, caller)) return !(reentrant && own.holds.at(-1)?.reentrant)
  return !reentrant && rivals.some((rival) => sectionIn(rival, name, caller) !== undefined)
}

function sectionIn({ queues, tenures }: Environment, name: string, caller: Scope): Tenure | undefined {
  const queue = queues.get(name)
  const tenure = queue && tenures.current(queue, caller.owner)
  return tenure && isSection(tenure, caller) ? tenure : undefined
}

function isSection(tenure: Tenure, caller: Scope): boolean {
  return tenure.state === 'held' && tenure.admits(caller)
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
