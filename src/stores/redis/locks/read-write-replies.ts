import type { LockState, OwnerState } from '../../../port/lock-port.js'
import { type AcquireAnswer, acquireAnswer } from '../line/acquire-reply.js'
import { listIn, ownerState, timeIn, timeLeft, UnreadableReply, wholeIn } from '../scripts/replies.js'

const UPGRADE = -1

/** `upgrade`: the owner reads and asked to write. */
export function acquireReply(reply: unknown): AcquireAnswer | 'upgrade' {
  return reply === UPGRADE ? 'upgrade' : acquireAnswer(reply)
}

/** A read-write lock as one of its ports shows it, and how many clients wait for it. */
export interface InspectReply {
  readonly waitingClients: number
  readonly state: LockState
}

export function inspectReply(reply: unknown, name: string): InspectReply {
  const [waitingClients, left, ...fields] = listIn(reply, 2)
  if (fields.length % 3 !== 0) throw new UnreadableReply(reply)
  const owners: OwnerState[] = []
  for (let index = 0; index < fields.length; index += 3)
    owners.push(...ownerState(fields[index], fields[index + 1], timeIn(fields[index + 2])))
  const state = { name, owners, remainingMs: timeLeft(left) }
  return { waitingClients: wholeIn(waitingClients, 0), state }
}
