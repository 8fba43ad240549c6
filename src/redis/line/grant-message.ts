import { isOwner } from '../../owner.js'
import type { ToldGrant } from './client-line.js'

/** Reads "owner time lease", as the scripts publish it; undefined for anything else. */
export function grantIn(message: string): ToldGrant | undefined {
  const [owner, time, lease, ...rest] = message.split(' ')
  const serverMs = Number(time)
  const leaseMs = Number(lease)
  if (owner === undefined || !isOwner(owner) || rest.length > 0) return undefined
  return Number.isFinite(serverMs) && leaseMs > 0 ? { owner, serverMs, leaseMs } : undefined
}
