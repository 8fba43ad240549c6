import { invalidNumber } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import type { Clock } from '../base/time/clock.js'
import { PORT_VERSION, type Store, type StoreSession, type StoreSettings } from '../port/store.js'
import type { StoreTraits } from '../port/store-traits.js'
import type { Settings } from './holdfast-options.js'

/** A store with the settings that not every store can follow; one that cannot refuses them. */
export class ConfiguredStore implements Store {
  readonly clock?: Clock
  readonly portVersion: number
  readonly traits: Partial<StoreTraits>

  constructor(
    private readonly store: Store,
    private readonly settings: Settings,
  ) {
    const { clock, portVersion = PORT_VERSION, traits = {} } = store
    if (clock) this.clock = clock
    this.portVersion = portVersion
    this.traits = traits
  }

  open(terms: StoreSettings): StoreSession {
    const { fenceRetentionMs, checkReplicas, replicasTimeoutMs, watchdogThread, ...others } = this.settings
    const { watchdogMs, quarantineMs, maxBlockedMs, onDeadlock } = others
    const session = this.store.open({
      ...terms,
      fenceRetentionMs,
      replicas: checkReplicas > 0 ? { replicas: checkReplicas, timeoutMs: replicasTimeoutMs } : undefined,
      thread: watchdogThread ? { leaseMs: watchdogMs, quarantineMs, maxBlockedMs } : undefined,
    })
    if (watchdogThread && !session.lock.thread) {
      void session.close()
      throw new InvalidArgumentError(
        'watchdogThread',
        true,
        'false, because this store has no watchdog thread',
      )
    }
    if (checkReplicas > 0 && !session.confirming) {
      void session.close()
      throw invalidNumber('checkReplicas', checkReplicas, '0, because this store has no replicas')
    }
    if (onDeadlock === 'reject' && !session.edges) {
      void session.close()
      throw new InvalidArgumentError(
        'onDeadlock',
        onDeadlock,
        "'report', because this store cannot tell deadlocks",
      )
    }
    return session
  }
}
