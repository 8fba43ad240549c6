import type { LockRole } from '../../src/base/errors/deadlock-error.js'
import type { Owner } from '../../src/base/identity/owner.js'
import type { SeenEdge } from '../../src/port/edges-port.js'

/** `a`: the plain lock; `r:a` and `w:a`: one side of a read-write lock. */
export function roleOf(text: string): LockRole {
  if (text.startsWith('r:')) return { kind: 'read lock', name: text.slice(2) }
  if (text.startsWith('w:')) return { kind: 'write lock', name: text.slice(2) }
  return { kind: 'lock', name: text }
}

export function ownerOf(name: string): Owner {
  return `${name}~${name}:1`
}

/** The edge of an owner that holds these locks and waits for that one. */
export function edge(
  name: string,
  holds: readonly string[],
  waitsFor: string,
  more: Partial<SeenEdge> = {},
): SeenEdge {
  const owner = ownerOf(name)
  return {
    id: name,
    owner,
    waitsFor: roleOf(waitsFor),
    holds: holds.map((held) => ({ ...roleOf(held), storedAs: owner })),
    rejects: false,
    since: 0,
    ...more,
  }
}
