import { leaseDeadline } from '../../src/port/lease.js'
import type { LockPort } from '../../src/port/lock-port.js'
import type { Store, StoreSession } from '../../src/port/store.js'

/** `wait`: that owner stands in line. `late`: it gives back a grant that came when its lease was over, and its place went with it. */
type Placed = (what: 'wait' | 'late', name: string, owner: string) => void

/**
 * A store that tells what its answers mean for a call's place in line. No event of the client does: `waiting` tells of the first
 * refusal, after which the call has yet to listen, and to ask for its place.
 */
export function observed(store: Store, placed: Placed): Store {
  return {
    ...(store.clock && { clock: store.clock }),
    ...(store.traits && { traits: store.traits }),
    open(settings) {
      const session = store.open(settings)
      for (const port of portsIn(session)) observe(port, placed)
      return session
    },
  }
}

/** Of the kinds in whose line each call has a place of its own. */
function portsIn({ fairLock, readWriteLock }: StoreSession): LockPort[] {
  return [fairLock, readWriteLock?.read, readWriteLock?.write].flatMap((port) => port ?? [])
}

function observe(port: LockPort, placed: Placed): void {
  const acquire = port.acquire.bind(port)
  port.acquire = async (request) => {
    const { name, owner, leaseMs, waits } = request
    const sentAt = performance.now()
    const reply = await acquire(request)
    if (reply.outcome === 'busy' && waits) placed('wait', name, owner)
    // Judged when the call has judged it: a moment earlier the lease may not be over yet.
    else if (reply.outcome === 'granted' && !reply.granted)
      setImmediate(() => {
        if (leaseDeadline(reply.since ?? sentAt, leaseMs) <= performance.now()) placed('late', name, owner)
      })
    return reply
  }
}
