import type { Scope } from './program.js'
import type { Laws } from './world.js'

/** What may occur in a world, by which laws, and whether its store fails. */
export interface Setting {
  readonly scope: Scope
  readonly laws: Laws
  readonly fails?: boolean
}

/** The store answers before any time passes; nothing is ever lost. */
export const calm: Setting = {
  scope: { leases: [undefined], idleMs: 40, timeSteps: [1, 5, 20] },
  laws: { options: { watchdogMs: 30_000, commandTimeoutMs: 3_000 }, calm: true, lossMayHappen: 'never' },
}

/** The same with a watchdog that has to renew many times: no hold is lost for want of it. */
export const renewals: Setting = {
  scope: { ...calm.scope, idleMs: 150 },
  laws: { ...calm.laws, options: { watchdogMs: 60, commandTimeoutMs: 3_000 } },
}

/** Time goes on in small steps while answers are under way; leases end, locks are forced open, clients are closed. */
export const latency: Setting = {
  scope: {
    leases: [undefined, undefined, undefined, 20, 60],
    idleMs: 40,
    timeSteps: [1, 2, 5, 20],
    force: true,
    close: true,
    rates: [1, 1.004, 0.996],
  },
  laws: { options: calm.laws.options, lossMayHappen: 'anyhow' },
}

/** Commands fail in every way, on their way and back; leases outlive it all, so that whatever is left behind is seen. */
export const faults: Setting = {
  scope: {
    leases: [undefined, undefined, undefined, 20_000],
    idleMs: 40,
    timeSteps: [1, 5, 20, 60],
    close: true,
  },
  laws: {
    options: { watchdogMs: 30_000, commandTimeoutMs: 100, storeTimeoutMs: 2_000 },
    lossMayHappen: 'lease-expired',
  },
  fails: true,
}

/** Leases so short that renewals matter. */
export const shortLeases: Setting = {
  scope: faults.scope,
  laws: {
    options: { watchdogMs: 60, commandTimeoutMs: 30, storeTimeoutMs: 200 },
    lossMayHappen: 'anyhow',
  },
  fails: true,
}

export const standstills: Setting = {
  scope: {
    ...latency.scope,
    leases: [undefined, undefined, 20, 60],
    idleMs: 60,
    pauses: [10, 50, 100, 300],
  },
  laws: shortLeases.laws,
  fails: true,
}
