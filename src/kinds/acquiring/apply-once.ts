import { randomUUID } from 'node:crypto'
import { ClosedError } from '../../base/errors/errors.js'
import { retry } from '../../core/acquire/outage.js'
import type { Locker } from '../../core/locker.js'

/** A store remembers for a minute what a request came to: no longer than half of that may it be repeated. */
const LONGEST_MS = 30_000

/**
 * Has the store change a number that is no hold, exactly once: the request is given a name, and repeated under that name for as
 * long as the store fails for the moment (rule X1).
 */
export async function applyOnce<Result>(
  locker: Locker,
  send: (request: string) => Promise<Result>,
): Promise<Result> {
  const request = randomUUID()
  const terms = {
    clock: locker.schedule.clock,
    patienceMs: Math.min(locker.settings.storeTimeoutMs, LONGEST_MS),
    pause: async (again: number) => {
      await locker.pauses.until(again)
      if (locker.closed) throw new ClosedError()
    },
  }
  // Its caller awaits all of it, pauses included, so the process stays alive from the first try to the last.
  return await locker.query(() => retry(() => send(request), terms))
}
