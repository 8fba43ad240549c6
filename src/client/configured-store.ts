import { invalidNumber } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import { PORT_VERSION, type Store, type StoreSession } from '../port/store.js'
import type { Settings } from './holdfast-options.js'

/** A store with the settings that not every store can follow; one that cannot refuses them. (Values are checked in holdfast-options.ts and client-options.ts.) */
export function configuredStore(store: Store, settings: Settings): Store {
  const { clock, portVersion = PORT_VERSION, traits = {} } = store
  const { fenceRetentionMs, checkReplicas, replicasTimeoutMs, watchdogThread, maxBlockedMs } = settings
  const { watchdogMs: leaseMs, quarantineMs } = settings.client
  return {
    ...(clock && { clock }),
    portVersion,
    traits,
    open: (terms) => {
      const session = store.open({
        ...terms,
        fenceRetentionMs,
        replicas: checkReplicas > 0 ? { replicas: checkReplicas, timeoutMs: replicasTimeoutMs } : undefined,
        thread: watchdogThread ? { leaseMs, quarantineMs, maxBlockedMs } : undefined,
      })
      const refusal = refusalOf(session, settings)
      if (!refusal) return session
      void session.close()
      throw refusal
    },
  }
}

function refusalOf(session: StoreSession, settings: Settings): InvalidArgumentError | undefined {
  const { checkReplicas, watchdogThread, onDeadlock } = settings
  const refused = (option: string, value: unknown, accepted: string): InvalidArgumentError =>
    new InvalidArgumentError(option, value, accepted)
  if (watchdogThread && !session.lock.thread)
    return refused('watchdogThread', true, 'false, because this store has no watchdog thread')
  if (checkReplicas > 0 && !session.confirming)
    return invalidNumber('checkReplicas', checkReplicas, '0, because this store has no replicas')
  if (onDeadlock === 'reject' && !session.edges)
    return refused('onDeadlock', onDeadlock, "'report', because this store cannot tell deadlocks")
  return undefined
}
