import { StoreError } from '../../base/errors/errors.js'
import { isTransient } from '../../port/failure.js'
import { type FailedTry, LEAST_ANSWER_MS, retry } from '../acquire/outage.js'
import type { Environment } from '../environment.js'
import type { Services } from '../services.js'
import type { Tenure } from './tenure.js'

/**
 * Sends a command that gives a hold away, and resolves to its answer. If the lease ends first, the lock is free without the command, so the
 * caller waits no longer for a silent store: the promise rejects, the outcome of the command is unknown, and a later answer is ignored.
 * @param from when the release began that sends the command; a release that begins just before the lease ends still gets `LEAST_ANSWER_MS`
 */
export function withinLease<Reply>(
  { schedule, settings }: Pick<Services, 'schedule' | 'settings'>,
  tenure: Tenure,
  from: number,
  command: string,
  send: () => Promise<Reply>,
): Promise<Reply> {
  const { clock } = schedule
  // While the owner has other holds the lease goes on being renewed.
  const answerBy = (): number => Math.max(tenure.deadline, from + LEAST_ANSWER_MS)
  // Long before that the command ends by its own timeout, even where the store needs two for it.
  if (tenure.deadline - clock.now() > 2 * settings.commandTimeoutMs) return send()
  return new Promise((resolve, reject) => {
    const tooLate = (): void => {
      const hint = 'The store did not answer while the lease lasted.'
      reject(new StoreError('timeout', command, { lockName: tenure.name, transient: true, hint }))
    }
    if (clock.now() >= answerBy()) {
      tooLate()
      return
    }
    const look = (): void => {
      // Where the event loop stood still the answer may be there, and unread.
      if (clock.now() >= answerBy()) schedule.afterTurn(tooLate)
      else alarm = schedule.at(answerBy(), look)
    }
    const sent = send()
    let alarm = schedule.at(answerBy(), look)
    sent.then(resolve, reject).then(() => schedule.cancel(alarm))
  })
}

/**
 * Sends a command about a lock that is held until it is answered, the store has failed for too long, or the lease has ended anyway.
 * @param failed the first try, if that was made before
 */
export function retryWithinLease<Reply>(
  env: Environment,
  tenure: Tenure,
  send: () => Promise<Reply>,
  failed?: FailedTry,
): Promise<Reply> {
  const { clock } = env.schedule
  const pause = (again: number): Promise<void> => env.pauses.until(again)
  const givesUp = (again: number): boolean => env.closed || again >= tenure.deadline
  return retry(send, { clock, pause, patienceMs: env.settings.storeTimeoutMs, givesUp }, failed)
}

/**
 * Has a lease last for at least so long from now on, because somebody asked for that: a renewal at another time and for another time. It
 * is sent again like every command, since a second one does no harm; a failure leaves the lease as it is, or as long as was asked for.
 */
export async function extend(env: Environment, tenure: Tenure, leaseMs: number): Promise<void> {
  const { tenures, port, settings } = env
  const { clock } = env.schedule
  const { name, storedAs: owner, permits } = tenure
  const renew = async (): Promise<readonly [sentAt: number, lastsMs: number] | undefined> => {
    const sentAt = clock.now()
    const renewing = port.renew([{ name, owner, permits, leaseMs: leaseMs + settings.quarantineMs }])
    const renewed = await renewing[0]
    return renewed ? [sentAt, renewed === true ? leaseMs : renewed] : undefined
  }
  let extended: Awaited<ReturnType<typeof renew>>
  try {
    extended = await retryWithinLease(env, tenure, renew)
  } catch (error) {
    if (isTransient(error)) {
      tenure.mayLast(clock.now() + leaseMs)
      env.orphans.retire(owner)
    }
    throw error
  }
  if (tenure.state !== 'held' || !tenures.stillHeld(tenure)) return
  if (extended) tenures.extended(tenure, ...extended)
  else tenure.lose()
}
