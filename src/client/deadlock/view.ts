import type { LockRole } from '../../base/errors/deadlock-error.js'
import type { EdgesPort } from '../../port/edges-port.js'
import type { LockState } from '../../port/lock-port.js'
import type { StoreSession } from '../../port/store.js'

/** What can be seen of those who wait for each other, in one store. */
export interface View {
  readonly edges: EdgesPort
  /** Who holds a lock, in that way. */
  ownersOf(lock: LockRole): Promise<LockState['owners']>
}

/** Undefined where the store keeps no edges. */
export function viewOf(session: StoreSession): View | undefined {
  const { edges, lock, readWriteLock } = session
  if (!edges) return undefined
  const ports = { lock, 'read lock': readWriteLock?.read, 'write lock': readWriteLock?.write }
  return {
    edges,
    ownersOf: async ({ kind, name }) => (await ports[kind]?.inspect(name))?.owners ?? [],
  }
}
