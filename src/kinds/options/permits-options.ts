import { checkObject, invalidNumber } from '../../base/checks/checks.js'
import { MOST_PERMITS } from '../../port/permit-range.js'
import type { AcquireOptions } from './options.js'

/** Options of one acquisition of permits. Times are whole milliseconds. Each acquisition has its own owner. */
export interface PermitsOptions extends Omit<AcquireOptions, 'owner' | 'lingerMs'> {
  /**
   * How many permits to take, all of them or none. Minimum: 1; maximum: 2 147 483 647, for permits with ids 10 000.
   * @default 1
   */
  readonly permits?: number
}

const PERMITS_OPTIONS = ['waitMs', 'leaseMs', 'signal', 'onLost', 'maxHoldMs', 'permits']

/** The most permits with ids that one call takes or returns: the server handles them one by one, and nothing else meanwhile. */
export const MOST_IDS = 10_000

/** Separates the options of every lock from the number of permits. */
export function checkPermitsOptions(
  options: PermitsOptions,
  most?: number,
): { lock: AcquireOptions; permits: number } {
  const { permits = 1, ...lock } = checkObject('options', options, PERMITS_OPTIONS)
  return { lock, permits: checkPermits('permits', permits, 1, most) }
}

/** A number of permits that a program may ask for. */
export function checkPermits(argument: string, value: unknown, least: number, most = MOST_PERMITS): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
    return value
  const end = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`
  throw invalidNumber(argument, value, `a whole number, at least ${least}${end}`)
}
