import type { Clock } from '../../src/base/time/clock.js'
import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import type { LinkListener, SessionLink } from '../../src/stores/session/link.js'
import { sessionOn, sessionTraits } from '../../src/stores/session/session.js'
import type { Ensemble } from './ensemble.js'
import { MemoryLink } from './link.js'

/** Locks in an {@link Ensemble}: as on etcd or ZooKeeper, in this process. */
export class MemorySessionStore implements Store {
  readonly clock: Clock
  readonly traits = sessionTraits

  /** @param linkTo how one client reaches the ensemble */
  constructor(
    private readonly ensemble: Ensemble,
    private readonly linkTo = (direct: Ensemble, listener: LinkListener): SessionLink =>
      new MemoryLink(direct, listener),
  ) {
    this.clock = ensemble.clock
  }

  open(settings: StoreSettings): StoreSession {
    return sessionOn((listener) => this.linkTo(this.ensemble, listener), settings)
  }
}
