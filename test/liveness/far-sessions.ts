import type { Store } from '../../src/port/store.js'
import type { LinkListener } from '../../src/stores/session/link.js'
import { Ensemble } from '../memory-session/ensemble.js'
import { MemorySessionStore } from '../memory-session/store.js'
import { PassedLink } from '../session/passed-link.js'
import type { Network } from './network.js'

/** A store of sessions, across a network. */
export function farSessions(network: Network): Store {
  const ensemble = new Ensemble(network.clock)
  return new MemorySessionStore(ensemble, (server, listener) => new FarLink(server, listener, network))
}

class FarLink extends PassedLink {
  readonly #messages: (hear: () => void) => void

  constructor(
    server: Ensemble,
    listener: LinkListener,
    private readonly network: Network,
  ) {
    super(server, listener)
    this.#messages = network.wayOfMessages()
  }

  protected pass<Reply>(what: string, send: () => Promise<Reply>): Promise<Reply> {
    return this.network.carry('', what, send)
  }

  protected deliver(_: string, hear: () => void): void {
    this.#messages(hear)
  }
}
