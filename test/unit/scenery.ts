import { type Owner, Scope } from '../../src/base/identity/owner.js'
import type { Call } from '../../src/core/acquire/call.js'
import { HoldRecord, Tenure } from '../../src/core/tenure/tenure.js'

/** A tenure that is held, with one hold that belongs to `scope`. */
export function heldBy(scope: Scope, renewUntil?: number, deadline = 1_000): Tenure {
  const tenure = new Tenure('lock', scope.owner)
  tenure.state = 'held'
  tenure.extend(deadline)
  tenure.holds = [...tenure.holds, new HoldRecord(tenure, scope, renewUntil)]
  return tenure
}

/** A call for the lock out of that scope, as patient as can be. */
export function callFrom(scope: Scope, terms: Partial<Call> = {}): Call {
  return {
    name: 'lock',
    caller: scope,
    holder: scope,
    unrelated: false,
    waitMs: Number.POSITIVE_INFINITY,
    leaseMs: undefined,
    maxHoldMs: Number.POSITIVE_INFINITY,
    signal: undefined,
    ...terms,
  }
}

/** A scope of its own, as an explicit owner gets. */
export function root(owner: Owner): Scope {
  return new Scope(owner, undefined)
}

/** A scope within another. */
export function within(parent: Scope): Scope {
  return new Scope(parent.owner, parent)
}
