import { checkJobOptions, type JobOptions } from '../../recipes/job/job-options.js'
import { type LockName, lockNameOf } from '../decorators/lock-name.js'
import { guardMethod } from './guarded-method.js'

/**
 * For methods that every instance of the application fires at the same time, with `@Cron`, `@Interval` or `@Timeout` of `@nestjs/schedule`:
 * one instance runs the method, in the others the call does nothing. This is `holdfast.job(name, options, …)`. The method's hold is
 * `currentHold()` of `holdfast`.
 *
 * @param name the job's name, the same in all instances
 */
export function ScheduledLock<Params extends unknown[]>(
  name: LockName<Params>,
  options: JobOptions,
): <Args extends [...Params, ...unknown[]]>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: Args) => Promise<void>>,
) => void {
  const nameOf = lockNameOf(name)
  const terms = checkJobOptions(options)
  return (target, _key, descriptor) =>
    guardMethod(target, descriptor, nameOf, async (holdfast, lockName, body) => {
      await holdfast.job(lockName, terms, body)
    })
}
