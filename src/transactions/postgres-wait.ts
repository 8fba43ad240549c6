import { withinMs } from '../base/time/with-deadline.js'
import { reasonOf, throwIfAborted } from '../base/waiting/signals.js'
import type { Answer, Connection, PostgresTransaction } from '../port/sql-connection.js'
import { isCancelled } from './failure.js'
import type { TransactionLockOptions } from './limits.js'

/** The greatest `lock_timeout`. */
const LONGEST_MS = 2 ** 31 - 1

/** How long the call stays for a cancellation whose end nobody tells. */
const LATE_MS = 5_000

/** Kept beside the setting, so that the connection's own comes back whatever it was. */
const KEEP = "SELECT set_config('holdfast.lock_timeout', current_setting('lock_timeout'), true)"
const RESTORE = "SELECT set_config('lock_timeout', current_setting('holdfast.lock_timeout'), true)"

/**
 * Runs a statement that may wait, with the server ending the wait in time. In a savepoint: where the wait ends without the lock, the
 * transaction goes on as it was before, its settings too. A lock that came at the very moment at which the time was up goes with the
 * savepoint, so that the answer "timed out" is always true.
 */
export async function waitInPostgres(
  session: PostgresTransaction,
  { waitMs, signal }: TransactionLockOptions,
  statement: (query: Connection['query']) => Promise<Answer>,
): Promise<Answer> {
  const pid = signal ? (await session.query('SELECT pg_backend_pid() AS pid')).rows[0]?.['pid'] : undefined
  throwIfAborted(signal)
  const limited = waitMs !== undefined
  return session.guarded({
    before: limited ? [KEEP, `SET LOCAL lock_timeout = ${timeoutOf(waitMs)}`] : [],
    after: limited ? [RESTORE] : [],
    work: (query) => cancelled(session, statement(query), signal, Number(pid)),
  })
}

/** 0 would mean no limit. */
function timeoutOf(waitMs: number): number {
  return waitMs === Infinity ? 0 : Math.min(Math.max(Math.ceil(waitMs), 1), LONGEST_MS)
}

/** Settles once no cancellation is under way any more: one that comes late would hit a statement of the application. */
async function cancelled(
  session: PostgresTransaction,
  answer: Promise<Answer>,
  signal: AbortSignal | undefined,
  pid: number,
): Promise<Answer> {
  if (!signal) return answer
  let told: Promise<void> | undefined
  const cancel = (): void => {
    told = session.cancel(pid, Promise.allSettled([answer])).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    return await answer
  } catch (error) {
    throw signal.aborted && isCancelled(error) ? reasonOf(signal) : error
  } finally {
    signal.removeEventListener('abort', cancel)
    if (told) await withinMs(LATE_MS, told)
  }
}
