import type { LockRole } from '../../../base/errors/deadlock-error.js'
import { isOwner } from '../../../base/identity/owner.js'
import type { HeldLock, SeenEdge } from '../../../port/edges-port.js'

/** The edge of that text, or undefined if it is none: any program may have written it. */
export function edgeIn(text: unknown, since: number): SeenEdge | undefined {
  const value = typeof text === 'string' ? parsed(text) : undefined
  if (!isRecord(value) || !Number.isFinite(since)) return undefined
  const { id, owner, waitsFor, holds, rejects, waitsAt } = value
  if (typeof id !== 'string' || typeof owner !== 'string' || !isOwner(owner)) return undefined
  const role = roleIn(waitsFor)
  if (!role || !Array.isArray(holds)) return undefined
  const held = holds.map(heldIn).filter((hold) => hold !== undefined)
  if (held.length < holds.length) return undefined
  return {
    id,
    owner,
    waitsFor: role,
    holds: held,
    rejects: rejects === true,
    waitsAt: stackIn(waitsAt),
    since,
  }
}

function heldIn(value: unknown): HeldLock | undefined {
  const role = roleIn(value)
  if (!role || !isRecord(value)) return undefined
  const { storedAs, takenAt } = value
  if (typeof storedAs !== 'string' || !isOwner(storedAs)) return undefined
  return { ...role, storedAs, takenAt: stackIn(takenAt) }
}

function roleIn(value: unknown): LockRole | undefined {
  if (!isRecord(value)) return undefined
  const { kind, name } = value
  if (typeof name !== 'string' || name === '') return undefined
  return kind === 'lock' || kind === 'read lock' || kind === 'write lock' ? { kind, name } : undefined
}

function stackIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
