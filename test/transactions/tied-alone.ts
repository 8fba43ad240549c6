import type { Lock } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'

/** Resolves when nobody holds the lock any more, and a transaction keeps it all the same. */
export async function untilTiedAlone(lock: Lock): Promise<void> {
  await eventually(
    async () => (await lock.inspect()).owners.map(({ holds }) => holds),
    ([holds]) => holds === 0,
  )
}
