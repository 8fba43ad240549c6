import { type Registry, type RegistryContentType, register } from 'prom-client'
import { checkMethods } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { quoted } from '../../base/errors/holdfast-error.js'
import { checkPeer } from '../../base/packages/peer.js'
import { checkObserved, listenTo, type ObservedClient } from '../../observe/trace/listener.js'
import { type GroupOf, shownGroup } from '../../observe/trace/shown-name.js'
import { Exposition } from './exposition.js'

/** Settings of {@link expose}. */
export interface ExposeOptions {
  /**
   * Names the client in its metrics (label `client`), where a process has several. Their names must differ.
   * @default none
   */
  readonly client?: string
  /**
   * The group of a lock, by its name: a label (`group`) of the wait and hold times. Each group makes time series of its own, so keep them
   * few. `undefined`: the lock has none.
   * @default no groups, because there is no limit to names
   */
  readonly groupOf?: GroupOf
  /**
   * Where the metrics are registered.
   * @default the default registry of prom-client
   */
  readonly registry?: Registry<RegistryContentType>
}

/** The metrics in each registry. */
const expositions = new WeakMap<Registry<RegistryContentType>, Exposition>()

/**
 * Adds the metrics of one client to a registry of `prom-client`. Call it before the client is used: the times of waits and holds are recorded
 * from then on. See docs/prometheus.md.
 *
 * @returns what ends it: counters of the client are no longer shown.
 * @throws `InvalidArgumentError` if an option is invalid, or a client of that name is in the registry already.
 */
export function expose(client: ObservedClient, options: ExposeOptions = {}): Disposable {
  checkPeer('prom-client')
  const name = checkObserved(client, options, ['registry'])
  const { groupOf, registry = register } = options
  checkMethods('registry', registry, ['registerMetric', 'getSingleMetric'], 'a Registry of prom-client')
  const known = expositions.get(registry)
  // A cleared registry has forgotten its metrics.
  const exposition = known?.registered ? known : new Exposition(registry)
  expositions.set(registry, exposition)
  if (exposition.clients.has(name))
    throw new InvalidArgumentError('client', options.client, 'a name of its own for each client', {
      found: `${quoted(name)} is the name of another client in this registry`,
    })
  exposition.clients.set(name, client)

  const own = name === '' ? {} : { client: name }
  const labelsOf = (lockName: string, kind: string): Record<string, string> => {
    const group = shownGroup(groupOf, lockName)
    return group === undefined ? { ...own, kind } : { ...own, kind, group }
  }
  const end = listenTo(client, {
    acquire: {
      ended: ({ outcome, waitedMs = 0, name, kind }) => {
        if (outcome === 'granted') exposition.wait.observe(labelsOf(name, kind), waitedMs / 1000)
      },
    },
    hold: {
      ended: ({ heldMs = 0, name, kind }) => exposition.hold.observe(labelsOf(name, kind), heldMs / 1000),
    },
  })
  return {
    [Symbol.dispose]: () => {
      end()
      if (exposition.clients.get(name) === client) exposition.clients.delete(name)
    },
  }
}
