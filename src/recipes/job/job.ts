import { checkFunction } from '../../base/checks/checks.js'
import { LockTimeoutError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { KindContext } from '../../kinds/acquiring/acquirer.js'
import { LockAcquirer } from '../../kinds/acquiring/lock-acquirer.js'
import type { Section } from '../../kinds/acquiring/section.js'
import { checkJobOptions, type JobOptions } from './job-options.js'

/** What came of one firing of a job: it ran here, or it ran, or runs, elsewhere. */
export type JobOutcome<Value> =
  | { readonly ran: true; readonly value: Value }
  | {
      readonly ran: false
      /** The owner that held the job's lock, if the store tells. While the lock is only kept for `atLeastMs`, that is nobody's owner, with the label of the last one. */
      readonly holder: Owner | undefined
    }

/** Runs the job unless its lock is taken. The lock is the plain one of that name, taken by an owner of its own: no firing re-enters. */
export async function runJob<Value>(
  name: string,
  context: KindContext,
  options: JobOptions,
  run: Section<Value>,
): Promise<JobOutcome<Awaited<Value>>> {
  const { atLeastMs, atMostMs } = checkJobOptions(options)
  checkFunction('run', run, 'job(name, { atLeastMs: …, atMostMs: … }, run)')
  let began = false
  try {
    const owner = context.owners.next()
    const terms = { owner, waitMs: 0, leaseMs: atMostMs }
    const value = await new LockAcquirer(name, context).withLock(terms, (hold) => {
      began = true
      hold.keepFor(atLeastMs)
      return run(hold)
    })
    return { ran: true, value }
  } catch (error) {
    if (began || !(error instanceof LockTimeoutError)) throw error
    return { ran: false, holder: error.holder }
  }
}
