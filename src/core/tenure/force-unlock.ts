import { retry } from '../acquire/retry.js'
import type { Environment } from '../environment.js'

/**
 * Frees a lock, whoever has it. It is sent again like every command, but counts once: where the answer was lost, and who had the lock has it
 * no more, it was freed, and nothing is taken from who has it since. Returns whether it was held.
 * @param sending called each time before it is sent
 */
export async function forceUnlock(env: Environment, name: string, sending: () => void): Promise<boolean> {
  const { port, pauses, schedule, settings } = env
  let first: string | undefined
  const free = async (): Promise<boolean> => {
    const { owners } = await port.inspect(name)
    const holding = owners.map(({ owner }) => owner).join(' ')
    if (first !== undefined && holding !== first) return first !== ''
    first = holding
    sending()
    return await port.forceUnlock(name)
  }
  return await retry(free, {
    clock: schedule.clock,
    pause: (again) => pauses.until(again),
    patienceMs: settings.storeTimeoutMs,
    givesUp: () => env.closed,
  })
}
