import { StoreError } from '../../base/errors/errors.js'
import type { AcquireReply } from '../../port/lock-port.js'

/** Refuses an answer with a time in it that is none: a store of another maker may give anything. What it has done is unknown. */
export function checkTimes(reply: AcquireReply, lockName: string): void {
  if (reply.outcome === 'lost') return
  const times =
    reply.outcome === 'busy'
      ? [reply.remainingMs, reply.againMs]
      : [reply.room, reply.fullForMs, reply.since, reply.granted?.since, reply.granted?.leaseMs]
  if (!times.some(Number.isNaN)) return
  const hint = 'The answer of the store has a time in it that is no number.'
  throw new StoreError('unreadable', 'acquire', { lockName, transient: true, hint })
}
