import type { LockClient } from '../../client/lock-client.js'
import type { Section } from '../../kinds/acquiring/section.js'
import type { LockOptions } from '../../kinds/options/lock-options.js'
import type { AcquireOptions } from '../../kinds/options/options.js'

/** Runs a call of a decorated method, whose one set of options is of its lock and of its section. */
export async function lockedSection<Result>(
  client: LockClient,
  name: string,
  options: AcquireOptions & LockOptions,
  body: Section<Result>,
): Promise<Awaited<Result>> {
  // withLock refuses what is no object.
  if (typeof options !== 'object' || options === null) return await client.lock(name).withLock(options, body)
  const { reentrant = true, ...terms } = options
  return await client.lock(name, { reentrant }).withLock(terms, body)
}
