import { usageError } from '../failure.js'
import type { ResourceFlags } from './resource.js'

/** How long a command has to end by itself after TERM, if its lease allows that. */
const GRACE_MS = 5_000
/** Killing takes time on a busy machine. */
const KILL_MARGIN_MS = 1_000
/** The part of a short lease that is the grace period, and as much again the margin after it. */
const PART_OF_SHORT_LEASE = 1 / 5

/** The user's options. Times in milliseconds. */
export interface RunFlags extends ResourceFlags {
  readonly wait?: number
  readonly nonblock?: true
  readonly conflictExitCode: number
  readonly lease?: number
  readonly watchdog?: number
  readonly atLeast?: number
  readonly grace?: number
  readonly label?: string
  readonly verbose?: true
  readonly quiet?: true
}

/** The options of a run that follow from them. */
export interface RunOptions {
  readonly waitMs: number
  /** Undefined: the watchdog renews. */
  readonly leaseMs: number | undefined
  /** How long the lock stays taken from the start of the command, even if that ends sooner. */
  readonly atLeastMs: number
  readonly graceMs: number
  /** The time that must be left of the lease at the end of the grace period. */
  readonly marginMs: number
  readonly busyExitCode: number
  readonly verbose: boolean
  /** Whether not to report a busy lock. */
  readonly quiet: boolean
}

export function runOptionsOf(flags: RunFlags, watchdogMs: number): RunOptions {
  const { wait, nonblock, lease, atLeast = 0, conflictExitCode, verbose = false, quiet = false } = flags
  if (lease !== undefined && atLeast > lease)
    throw usageError(`--at-least must be at most --lease (${lease / 1000} s): it is the first part of it.`)
  return {
    waitMs: nonblock ? 0 : (wait ?? Infinity),
    leaseMs: lease,
    atLeastMs: atLeast,
    graceMs: graceOf(flags, watchdogMs),
    marginMs: Math.min(KILL_MARGIN_MS, Math.floor((lease ?? watchdogMs) * PART_OF_SHORT_LEASE)),
    busyExitCode: conflictExitCode,
    verbose,
    quiet,
  }
}

/**
 * The command is signalled to end when only the grace period and the margin of the lease are left. A lease that is renewed every third
 * of it has at least two thirds left. So with a grace period of a third, working renewals never end a command, and there is time to
 * repeat one that failed.
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
