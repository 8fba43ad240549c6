import { isOwner, type Owner } from '../../owner.js'

/** What a process is told of one of its places. */
export type Told = ToldGrant | ToldLook

/** The lock was granted to it, by the server's time. */
export interface ToldGrant {
  readonly owner: Owner
  readonly serverMs: number
  readonly leaseMs: number
  /** In decimal; empty where the lock has none. */
  readonly token: string
}

/** It is the first in line, and the lock ends sooner than it would look. */
export interface ToldLook {
  readonly owner: Owner
  readonly inMs: number
}

/** Reads "owner time lease token" or "owner left", as the scripts publish it; undefined for anything else. */
export function toldIn(message: string): Told | undefined {
  const [owner, ...rest] = message.split(' ')
  if (owner === undefined || !isOwner(owner)) return undefined
  const [first, second, token] = rest
  if (rest.length === 1) return Number(first) >= 0 ? { owner, inMs: Number(first) } : undefined
  const [serverMs, leaseMs] = [Number(first), Number(second)]
  const complete = rest.length === 3 && token !== undefined && Number.isFinite(serverMs) && leaseMs > 0
  return complete ? { owner, serverMs, leaseMs, token } : undefined
}
