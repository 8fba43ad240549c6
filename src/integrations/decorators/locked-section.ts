import { checkBoolean, checkMethods, checkObject } from '../../base/checks/checks.js'
import type { LockClient } from '../../client/lock-client.js'
import type { Section } from '../../kinds/acquiring/section.js'
import type { LockOptions } from '../../kinds/options/lock-options.js'
import { ACQUIRE_OPTIONS, type AcquireOptions, checkAcquireValues } from '../../kinds/options/options.js'

/** The options of a decorated method: those of its lock, and those of its section. */
export interface SectionTerms {
  readonly lock: LockOptions
  readonly section: AcquireOptions
}

/** Checks them when the class is decorated. */
export function checkSectionOptions(given: AcquireOptions & LockOptions): SectionTerms {
  const options = checkObject('options', given, [...ACQUIRE_OPTIONS, 'reentrant'])
  const { reentrant = true, ...section } = options
  checkBoolean('reentrant', reentrant)
  checkAcquireValues(section)
  return { lock: { reentrant }, section }
}

/** Runs a call of a decorated method. */
export async function lockedSection<Result>(
  client: LockClient,
  name: string,
  { lock, section }: SectionTerms,
  body: Section<Result>,
): Promise<Awaited<Result>> {
  return await client.lock(name, lock).withLock(section, body)
}

export function checkLockClient(client: unknown): void {
  checkMethods('client', client, ['lock'], 'a Holdfast or a LockClient')
}
