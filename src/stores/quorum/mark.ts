import { randomUUID } from 'node:crypto'
import type { Owner } from '../../base/identity/owner.js'
import type { AcquireRequest } from '../../port/lock-port.js'

/** How long a mark stays; members that vote renew theirs after half of that. */
export const MARK_MS = 60_000

/**
 * Tells members apart where a server does not say who it is: a lock of a random name, which each member takes as an owner of its own. A
 * refused member has the server of another one. All members have to take it as soon as one server is unknown.
 */
export class Mark {
  wanted = false
  readonly #name = `holdfast:quorum:${randomUUID()}`

  constructor(private readonly clientId: string) {}

  requestOf(index: number): AcquireRequest {
    return { name: this.#name, owner: `${this.clientId}:${index}`, heldBefore: 0, leaseMs: MARK_MS }
  }

  /** Which member that owner is; -1 for none. */
  indexOf(owner: Owner | undefined): number {
    return owner?.startsWith(`${this.clientId}:`) ? Number(owner.slice(this.clientId.length + 1)) : -1
  }
}
