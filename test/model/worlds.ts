import type { Scope } from './program.js'
import type { Laws } from './world.js'

/** The store answers before any time passes; nothing is ever lost. */
export const calmScope: Scope = {
  leases: [undefined],
  idleMs: 40,
  timeSteps: [1, 5, 20],
  force: false,
  pauses: [],
  close: false,
  rates: [1],
  abort: true,
}

export const calmLaws: Laws = {
  options: { watchdogMs: 30_000, commandTimeoutMs: 3_000 },
  calm: true,
  ordered: true,
  line: true,
  lossMayHappen: 'never',
}

/** The same with a watchdog that has to renew many times: no hold is lost for want of it. */
export const renewalScope: Scope = { ...calmScope, idleMs: 150 }

export const renewalLaws: Laws = { ...calmLaws, options: { watchdogMs: 60, commandTimeoutMs: 3_000 } }

/** Time goes on in small steps while answers are under way; leases end, locks are forced open, clients are closed. */
export const latencyScope: Scope = {
  leases: [undefined, undefined, undefined, 20, 60],
  idleMs: 40,
  timeSteps: [1, 2, 5, 20],
  force: true,
  pauses: [],
  close: true,
  rates: [1, 1.004, 0.996],
  abort: true,
}

export const latencyLaws: Laws = {
  options: { watchdogMs: 30_000, commandTimeoutMs: 3_000 },
  calm: false,
  ordered: true,
  line: true,
  lossMayHappen: 'anyhow',
}

/** Commands fail in every way, on their way and back; leases outlive it all, so that whatever is left behind is seen. */
export const faultScope: Scope = {
  leases: [undefined, undefined, undefined, 20_000],
  idleMs: 40,
  timeSteps: [1, 5, 20, 60],
  force: false,
  pauses: [],
  close: true,
  rates: [1],
  abort: true,
}

export const faultLaws: Laws = {
  options: { watchdogMs: 30_000, commandTimeoutMs: 100, storeTimeoutMs: 2_000 },
  calm: false,
  ordered: true,
  line: true,
  lossMayHappen: 'lease-expired',
}

/** Leases so short that renewals matter. */
export const shortLaws: Laws = {
  options: { watchdogMs: 60, commandTimeoutMs: 30, storeTimeoutMs: 200 },
  calm: false,
  ordered: true,
  line: true,
  lossMayHappen: 'anyhow',
}

export const pauseScope: Scope = {
  leases: [undefined, undefined, 20, 60],
  idleMs: 60,
  timeSteps: [1, 2, 5, 20],
  force: true,
  pauses: [10, 50, 100, 300],
  close: true,
  rates: [1, 1.004, 0.996],
  abort: true,
}
