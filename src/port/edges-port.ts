import type { LockRole } from '../base/errors/deadlock-error.js'
import type { Owner } from '../base/identity/owner.js'

/** A lock that an owner has while it waits for another one. */
export interface HeldLock extends LockRole {
  /** As whom the store knows the holder: not always as the owner that waits. */
  readonly storedAs: Owner
  /** The stack of the call that took it, with diagnostics. */
  readonly takenAt?: string | undefined
}

/** Says that an owner waits for one lock while it holds another. It lies beside the awaited lock. */
export interface Edge {
  /** Each wait has its own. */
  readonly id: string
  readonly owner: Owner
  readonly waitsFor: LockRole
  readonly holds: readonly HeldLock[]
  /** Whether the wait would end if it is part of a deadlock. */
  readonly rejects: boolean
  /** The stack of the call that waits, with diagnostics. */
  readonly waitsAt?: string | undefined
}

/** An edge as the store has it. */
export interface SeenEdge extends Edge {
  /** Since when it waits, in milliseconds since 1970 by the store's clock. Stays the same for as long as the edge is there. */
  readonly since: number
}

/** Keeps the edges of calls that wait while they hold something, for all clients to find. An edge ends unless its client leaves it again in time. */
export interface EdgesPort {
  /**
   * Leaves an edge, or leaves it again with what has changed, for so long.
   * @param waitedMs how long it waits already
   */
  leave(edge: Edge, waitedMs: number, lifeMs: number): Promise<void>
  /** Removes the edge, if it is there. */
  withdraw(edge: Edge): Promise<void>
  /**
   * The edges beside one lock, for a read-write lock those of both sides: the first 128 if there are more.
   * @param id asks for that edge alone
   */
  of(lock: LockRole, id?: string): Promise<readonly SeenEdge[]>
  /** All of them. For operators: scans the key space step by step. */
  list(): AsyncIterable<SeenEdge>
}

/** The most edges beside one lock that a look reads. */
export const MOST_EDGES_READ = 128

/** One text for each lock: the two sides of a read-write lock are one, which is another lock than the plain one of that name. */
export function lockKeyOf({ kind, name }: LockRole): string {
  return `${kind === 'lock' ? 'lock' : 'read-write'}:${name}`
}
