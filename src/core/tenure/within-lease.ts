import { StoreError } from '../../errors/errors.js'
import { LEAST_ANSWER_MS } from '../acquire/wait-left.js'
import type { Services } from '../services.js'
import type { Tenure } from './tenure.js'

/**
 * The answer to a command by which holds of a tenure are given away, unless the lease ends first: by then the lock is free by itself, and
 * nobody need wait for a store that is silent. What the command comes to is unknown then, as after any other failure, and its answer is
 * not heard any more.
 * @param from when the release that it is a part of began: that has a moment in any case, since a lock may be given back just in time
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
    sent.then(
      (reply) => {
        schedule.cancel(alarm)
        resolve(reply)
      },
      (error: unknown) => {
        schedule.cancel(alarm)
        reject(error)
      },
    )
  })
}
