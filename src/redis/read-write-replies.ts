import { isOwner, type Owner } from '../owner.js'
import type { AcquireReply, LockState } from '../store.js'
import { LockUpgradeError } from '../upgrade-error.js'

/** What all scripts of the read-write lock that move its line answer with. */
export interface LineReply {
  readonly code: number
  /** When it was, on the server, in microseconds. */
  readonly serverUs: number
  /** Why somebody could not be told; '' where all were. */
  readonly untold: string
  readonly rest: readonly unknown[]
}

export function lineReply(reply: unknown): LineReply {
  const [code, serverUs, untold, ...rest]: unknown[] = Array.isArray(reply) ? reply : []
  return { code: Number(code), serverUs: Number(serverUs), untold: String(untold ?? ''), rest }
}

const GRANTED = 1
const BUSY = 2
const UPGRADE = -1

/** @throws LockUpgradeError where the owner reads and asked to write. */
export function acquireReply({ code, rest }: LineReply, name: string, owner: Owner): AcquireReply {
  if (code === UPGRADE) throw new LockUpgradeError(name, owner)
  if (code === GRANTED) return { outcome: 'granted', fence: BigInt(String(rest[0])) }
  if (code !== BUSY) return { outcome: 'lost' }
  const [left, holder] = rest
  return {
    outcome: 'busy',
    remainingMs: Math.max(Number(left), 0),
    holder: typeof holder === 'string' && isOwner(holder) ? holder : undefined,
  }
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
