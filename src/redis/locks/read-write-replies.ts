import { isOwner } from '../../identity/owner.js'
import type { LockState } from '../../ports/lock-port.js'
import { type AcquireAnswer, acquireAnswer } from '../line/acquire-reply.js'

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
  const [waitingClients, remainingMs, ...fields]: unknown[] = Array.isArray(reply) ? reply : []
  const owners: Array<LockState['owners'][number]> = []
  for (let index = 0; index < fields.length; index += 2) {
    const [owner, holds] = [fields[index], Number(fields[index + 1])]
    if (typeof owner === 'string' && isOwner(owner) && Number.isInteger(holds)) owners.push({ owner, holds })
  }
  return {
    waitingClients: Number(waitingClients ?? 0),
    state: { name, owners, remainingMs: Math.max(Number(remainingMs ?? 0), 0) },
  }
}
