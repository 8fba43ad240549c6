import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import type { StoreTraits } from '../ports/store-traits.js'
import type { SessionLink } from '../session/link.js'
import { SessionLockPort } from '../session/lock-port.js'
import { Places } from '../session/places.js'
import type { Clock } from '../time/clock.js'
import type { Ensemble } from './ensemble.js'
import { MemoryLink } from './link.js'

export const sessionTraits: Partial<StoreTraits> = {
  countsVisible: false,
  lingers: false,
  kinds: ['lock', 'fencedLock', 'fairLock', 'spinLock'],
}

/** Locks in an {@link Ensemble}: as on etcd or ZooKeeper, in this process. */
export class MemorySessionStore implements Store {
  readonly clock: Clock
  readonly traits = sessionTraits

  /** @param linkTo how one client reaches the ensemble */
  constructor(
    private readonly ensemble: Ensemble,
    private readonly linkTo: (ensemble: Ensemble) => SessionLink = (direct) => new MemoryLink(direct),
  ) {
    this.clock = ensemble.clock
  }

  open(settings: StoreSettings): StoreSession {
    return new SessionStoreSession(new Places(this.linkTo(this.ensemble), settings))
  }
}

class SessionStoreSession implements StoreSession {
  readonly lock: SessionLockPort
  readonly fencedLock: SessionLockPort
  readonly fairLock: SessionLockPort
  readonly spinLock: SessionLockPort

  constructor(private readonly places: Places) {
    this.lock = new SessionLockPort(places, { joins: true, fenced: false })
    this.fencedLock = new SessionLockPort(places, { joins: true, fenced: true })
    this.fairLock = new SessionLockPort(places, { joins: true, fenced: false })
    this.spinLock = new SessionLockPort(places, { joins: false, fenced: false })
  }

  close(): Promise<void> {
    return this.places.close()
  }
}
