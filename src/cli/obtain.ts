import { LockTimeoutError, StoreError } from '../errors.js'
import type { Hold } from '../hold.js'
import type { AcquireOptions } from '../options.js'
import type { Resource } from './resource.js'

/**
 * Waits for the lock. A long wait bears with a server that is away for a while; but a server that cannot be reached at the very
 * start is likely a wrong address, and that is told at once. The first question gets its answer, however short the wait: a lock
 * is not called busy, nor a server silent, because connecting took a moment.
 */
export async function obtain(
  lock: Pick<Resource, 'name' | 'acquire'>,
  { waitMs, leaseMs }: { waitMs: number; leaseMs: number | undefined },
  signal: AbortSignal,
): Promise<Hold> {
  const options: AcquireOptions = { signal, ...(leaseMs === undefined ? {} : { leaseMs }) }
  const startedAt = performance.now()
  const leftMs = (): number => Math.ceil(waitMs - (performance.now() - startedAt))
  let busy: LockTimeoutError | undefined
  try {
    return await lock.acquire({ ...options, waitMs: 0 })
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
    // It was busy when the server was heard last; that it was silent in the end is no other outcome.
    const holder = error.holder ?? busy.holder
    throw new LockTimeoutError(lock.name, performance.now() - startedAt, { holder })
  }
}
