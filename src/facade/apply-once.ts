import { randomUUID } from 'node:crypto'
import { isTransient, Outage } from '../core/acquire/outage.js'
import type { Locker } from '../core/locker.js'
import { ClosedError } from '../errors/errors.js'

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
  // Its caller awaits all of it, pauses included, so the process stays alive from the first try to the last.
  return await locker.query(() => untilSettled(locker, send))
}

async function untilSettled<Result>(
  locker: Locker,
  send: (request: string) => Promise<Result>,
): Promise<Result> {
  const request = randomUUID()
  const { clock } = locker.schedule
  const outage = new Outage()
  for (;;) {
    try {
      return await send(request)
    } catch (error) {
      const now = clock.now()
      outage.failed(error, now)
      const patienceMs = Math.min(locker.settings.storeTimeoutMs, LONGEST_MS)
      if (!isTransient(error) || outage.lastedMs(now) >= patienceMs) throw error
      await locker.env.pauses.until(outage.retryAt(now))
      if (locker.closed) throw new ClosedError()
    }
  }
}
