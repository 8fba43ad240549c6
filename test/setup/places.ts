/** The places a lock can be kept in, each as the tests use it: one shared suite runs over all of them. */
import { afterEach, inject } from 'vitest'
import type { KindName } from '../../src/conformance/kinds.js'
import { Place as ConformancePlace, type Source } from '../../src/conformance/place.js'
import type { RedisClient, Store } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { quorumTraits } from '../../src/stores/quorum/store.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import type { Endpoint } from '../wire/wire.js'
import { clusterClient, sentinelClient, standaloneClient } from './clients.js'

export const placeNames = ['memory', 'memory-virtual-time', 'standalone', 'cluster', 'sentinel'] as const
export type PlaceName = (typeof placeNames)[number]

/** Three stores that know nothing of each other, joined by `quorum`: only the plain lock is kept there. */
export type QuorumName = 'quorum-virtual-time' | 'quorum-servers'

/** Where locks are kept, with what only servers have. */
export interface Place extends ConformancePlace {
  /** Whether there is one server (or cluster) behind it, whose keys can be looked at. */
  readonly server: boolean
  /** A client as the application has it, where there is a server; for looking at keys directly. */
  client(): RedisClient
}

class LocalPlace extends ConformancePlace implements Place {
  readonly server = false

  client(): RedisClient {
    throw new Error(`${this.name} has no server`)
  }
}

/** What is on servers: reached by a client that is made for each `Holdfast`. */
class ServerPlace extends ConformancePlace implements Place {
  readonly server: boolean
  readonly #clients: RedisClient[] = []

  constructor(
    name: PlaceName | QuorumName,
    kind: KindName,
    private readonly connect: ReadonlyArray<() => RedisClient>,
  ) {
    const traits = connect.length > 1 ? quorumTraits : {}
    super({ name, kind, open: () => this.#source(), traits })
    this.server = connect.length === 1
  }

  client(): RedisClient {
    const [client] = this.#connected()
    if (!client) throw new Error(`${this.name} has no server`)
    return client
  }

  override rankOf(lockName: string): number {
    return this.name === 'cluster' ? slotOf(lockName) : 0
  }

  override async tidy(): Promise<void> {
    try {
      await super.tidy()
    } finally {
      for (const client of this.#clients.splice(0)) client.disconnect()
    }
  }

  #source(): Source {
    return this.server ? this.client() : quorum(this.#connected())
  }

  #connected(): RedisClient[] {
    const clients = this.connect.map((connect) => connect())
    this.#clients.push(...clients)
    return clients
  }
}

/** The place of that name; the servers are those of the run, see setup/servers.ts. */
export function placeOf(name: PlaceName, kind: KindName = 'lock'): Place {
  switch (name) {
    case 'memory':
      return storePlace(name, kind, new MemoryStore())
    case 'memory-virtual-time': {
      const clock = new VirtualClock()
      return storePlace(name, kind, new MemoryStore(clock), clock)
    }
    case 'standalone':
      return new ServerPlace(name, kind, [() => standaloneClient(inject('servers').standalone)])
    case 'cluster':
      return new ServerPlace(name, kind, [() => clusterClient(inject('servers').cluster.startupNodes)])
    case 'sentinel':
      return new ServerPlace(name, kind, [() => sentinelClient(inject('servers').sentinel)])
  }
}

/** That place, which is tidied after each test of the file, or of the group in which it is asked for. */
export function tidiedPlace(name: PlaceName, kind?: KindName): Place {
  const place = placeOf(name, kind)
  afterEach(() => place.tidy())
  return place
}

function storePlace(name: string, kind: KindName, store: Store, clock?: VirtualClock): Place {
  return new LocalPlace({ name, kind, open: () => store, traits: store.traits, clock })
}

export function quorumInMemory(): Place {
  const clock = new VirtualClock()
  const members = [1, 2, 3].map(() => new MemoryStore(clock))
  return storePlace('quorum-virtual-time', 'lock', quorum(members), clock)
}

/** Servers as one; where each is, is asked when a client is made, since they may be brought after the place is named. */
export function quorumOf(endpoints: ReadonlyArray<() => Endpoint>): Place {
  const members = endpoints.map((endpoint) => () => {
    const { host, port } = endpoint()
    return standaloneClient({ host, port })
  })
  return new ServerPlace('quorum-servers', 'lock', members)
}
