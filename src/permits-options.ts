import { checkObject } from './checks.js'
import { InvalidArgumentError } from './errors.js'
import type { AcquireOptions } from './options.js'

/** Options of one acquisition of permits. Times are whole milliseconds. Each acquisition has an owner of its own. */
export interface PermitsOptions extends Omit<AcquireOptions, 'owner'> {
  /**
   * How many permits to take, all of them or none. Minimum: 1.
   * @default 1
   */
  readonly permits?: number
}

const PERMITS_OPTIONS = ['waitMs', 'leaseMs', 'signal', 'onLost', 'maxHoldMs', 'permits']

/** Sets apart what every lock is asked and how many permits are wanted. */
export function checkPermitsOptions(options: PermitsOptions): { lock: AcquireOptions; permits: number } {
  checkObject('options', options, PERMITS_OPTIONS)
  const { permits = 1, ...lock } = options
  return { lock, permits: checkPermits('permits', permits, 1) }
}

/** A number of permits that a program may ask for. */
export function checkPermits(argument: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw new InvalidArgumentError(argument, value, `a whole number, at least ${least}`)
}
