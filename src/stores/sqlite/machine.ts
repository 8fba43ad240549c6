import { readFileSync } from 'node:fs'
import process from 'node:process'
import { machineTime } from '../../base/time/machine-time.js'

/** The clocks of a machine. */
export interface Machine {
  /** Another text after each start of the machine; undefined where the system does not tell. */
  readonly boot: string | undefined
  /** Milliseconds since the machine started: the same for all its processes, and never set. */
  monotonicMs(): number
  /** Milliseconds since 1970, by a clock that anybody may set. */
  wallMs(): number
}

export function thisMachine(): Machine {
  return {
    boot: bootOf(),
    monotonicMs: () => machineTime.sharedUs() / 1_000,
    wallMs: machineTime.wallMs,
  }
}

function bootOf(): string | undefined {
  // Elsewhere Node's monotonic clock may count from anything.
  if (process.platform !== 'linux') return undefined
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || undefined
  } catch {
    return undefined
  }
}
