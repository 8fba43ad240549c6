import { LockTimeoutError, StoreError } from '../../base/errors/errors.js'
import type { Hold } from '../../kinds/hold.js'
import type { AcquireOptions } from '../../kinds/options/options.js'
import { firstAnswer } from '../first-answer.js'
import type { Output } from '../output.js'
import type { Resource } from './resource.js'

/**
 * Waits for the lock. A long wait tolerates a server that is away for a while. A server that is out of reach at the very start,
 * however, is probably a wrong address, which is reported at once. The first command gets its answer, however short the wait: slow
 * connecting must not make a lock look busy, or a server silent.
 */
export async function obtain(
  lock: Pick<Resource, 'name' | 'acquire'>,
  { waitMs, leaseMs }: { waitMs: number; leaseMs: number | undefined },
  signal: AbortSignal,
  output: Output,
): Promise<Hold> {
  const options: AcquireOptions = { signal, ...(leaseMs === undefined ? {} : { leaseMs }) }
  const startedAt = performance.now()
  const leftMs = (): number => Math.ceil(waitMs - (performance.now() - startedAt))
  let busy: LockTimeoutError | undefined
  try {
    return await firstAnswer(lock.acquire({ ...options, waitMs: 0 }), output)
  } catch (error) {
    const notReady = error instanceof StoreError && error.reason === 'not-ready'
    if (error instanceof LockTimeoutError) busy = error
    else if (!notReady) throw error
    if (leftMs() <= 0) throw error
  }
  try {
    return await lock.acquire({ ...options, waitMs: Math.max(leftMs(), 1) })
  } catch (error) {
    if (!(error instanceof LockTimeoutError) || busy === undefined) throw error
    // The lock was busy at the server's last answer; that the server then fell silent does not change the outcome.
    const seen = error.holder === undefined ? busy : error
    throw new LockTimeoutError(lock.name, performance.now() - startedAt, seen)
  }
}
