import { checkBoolean, checkObject } from '../../base/checks/checks.js'
import type { LockClient } from '../../client/lock-client.js'
import type { Section } from '../../kinds/acquiring/section.js'
import type { LockOptions } from '../../kinds/options/lock-options.js'
import { ACQUIRE_OPTIONS, type AcquireOptions, checkAcquireValues } from '../../kinds/options/options.js'

/** Runs a call of a decorated method as a section of a lock. */
type LockedSection = <Result>(
  client: LockClient,
  name: string,
  body: Section<Result>,
) => Promise<Awaited<Result>>

/** Checks the options of a decorated method, those of its lock and those of its section, when the class is decorated. */
export function lockedSection(given: AcquireOptions & LockOptions): LockedSection {
  const options = checkObject('options', given, [...ACQUIRE_OPTIONS, 'reentrant'])
  const { reentrant = true, ...section } = options
  checkBoolean('reentrant', reentrant)
  checkAcquireValues(section)
  return (client, name, body) => client.lock(name, { reentrant }).withLock(section, body)
}
