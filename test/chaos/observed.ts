import type { LockPort } from '../../src/port/lock-port.js'
import type { Store, StoreSession } from '../../src/port/store.js'

type Stands = (name: string, owner: string) => void

/**
 * A store that tells when it has answered a call that it stands in line. No event of the client does: `waiting` tells of the first
 * refusal, after which the call has yet to listen, and to ask for its place.
 */
export function observed(store: Store, stands: Stands): Store {
  return {
    ...(store.clock && { clock: store.clock }),
    ...(store.traits && { traits: store.traits }),
    open(settings) {
      const session = store.open(settings)
      for (const port of portsIn(session)) observe(port, stands)
      return session
    },
  }
}

/** Of the kinds in whose line each call has a place of its own. */
function portsIn({ fairLock, readWriteLock }: StoreSession): LockPort[] {
  return [fairLock, readWriteLock?.read, readWriteLock?.write].flatMap((port) => port ?? [])
}

function observe(port: LockPort, stands: Stands): void {
  const acquire = port.acquire.bind(port)
  port.acquire = async (request) => {
    const reply = await acquire(request)
    if (reply.outcome === 'busy' && request.waits) stands(request.name, request.owner)
    return reply
  }
}
