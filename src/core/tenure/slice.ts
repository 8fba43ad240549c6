import type { Services } from '../services.js'
import type { Tenure } from './tenure.js'

/** Whether this process has handed the lock from call to call as often, or for as long, as it may before it is the turn of others. */
export function isSpent(
  { settings, schedule }: Pick<Services, 'settings' | 'schedule'>,
  tenure: Tenure,
): boolean {
  return (
    tenure.handOvers >= settings.maxHandOvers ||
    schedule.clock.now() - tenure.since >= settings.handOverSliceMs
  )
}
