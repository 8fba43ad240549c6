import type { Services } from '../services.js'
import type { Tenure } from './tenure.js'

/** Whether this process has handed the lock from call to call as often, or for as long, as it may before it is the turn of others. */
export function isSpent({ settings }: Pick<Services, 'settings'>, tenure: Tenure, now: number): boolean {
  return tenure.handOvers >= settings.maxHandOvers || now - tenure.since >= settings.handOverSliceMs
}
