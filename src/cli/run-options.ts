import { usageError } from './failure.js'
import type { ResourceFlags } from './resource.js'

/** How long a command has to end by itself after TERM, if its lease leaves it as long. */
const GRACE_MS = 5_000
/** Killing takes a moment on a busy machine. */
const KILL_MARGIN_MS = 1_000
/** Of a short lease this part is kept for the grace period, and as much again for the margin after it. */
const PART_OF_SHORT_LEASE = 1 / 5

/** What the user said. Times in milliseconds. */
export interface RunFlags extends ResourceFlags {
  readonly wait?: number
  readonly nonblock?: true
  readonly conflictExitCode: number
  readonly lease?: number
  readonly watchdog?: number
  readonly grace?: number
  readonly verbose?: true
  readonly quiet?: true
}

/** What follows from it. */
export interface RunOptions {
  readonly waitMs: number
  /** Undefined: the watchdog renews. */
  readonly leaseMs: number | undefined
  readonly graceMs: number
  /** What must be left of the lease when the grace period is over. */
  readonly marginMs: number
  readonly busyExitCode: number
  readonly verbose: boolean
  /** Whether a busy lock goes without saying. */
  readonly quiet: boolean
}

export function runOptionsOf(flags: RunFlags, watchdogMs: number): RunOptions {
  const { wait, nonblock, lease, conflictExitCode, verbose = false, quiet = false } = flags
  return {
    waitMs: nonblock ? 0 : (wait ?? Number.POSITIVE_INFINITY),
    leaseMs: lease,
    graceMs: graceOf(flags, watchdogMs),
    marginMs: Math.min(KILL_MARGIN_MS, Math.floor((lease ?? watchdogMs) * PART_OF_SHORT_LEASE)),
    busyExitCode: conflictExitCode,
    verbose,
    quiet,
  }
}

/**
 * The command is told to end when the lease has no more than the grace period and the margin left. A lease that is renewed each
 * third of it has two thirds left at the least, so a third of it is a grace period that never ends a command whose renewals
 * work, and leaves time to repeat one that did not.
 */
function graceOf({ lease, grace }: RunFlags, watchdogMs: number): number {
  const ttlMs = lease ?? watchdogMs
  if (grace === undefined) return Math.min(GRACE_MS, Math.floor(ttlMs * PART_OF_SHORT_LEASE))
  if (lease !== undefined && grace > lease / 2) {
    throw usageError(
      `--grace must be at most half of --lease (${lease / 2000} s): it is the last part of it.`,
    )
  }
  if (lease === undefined && grace > watchdogMs / 3) {
    const most = `a third of --watchdog (${Math.floor(watchdogMs / 3) / 1000} s)`
    throw usageError(`--grace must be at most ${most}, or a command would be ended between two renewals.`)
  }
  return grace
}
