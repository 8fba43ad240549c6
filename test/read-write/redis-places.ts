import { inject } from 'vitest'
import { RedisPlace as Server } from '../fair/places.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { RedisPlace } from './places.js'

/** Read-write locks on the run's standalone server. */
export class StandalonePlace extends RedisPlace {
  readonly server: Server

  constructor(options: { protocol?: number; keyPrefix?: string } = {}) {
    const server = Server.standalone()
    super('standalone', () => standaloneClient({ ...inject('servers').standalone, ...options }), server)
    this.server = server
  }
}

/** Read-write locks on the run's cluster. */
export class ClusterPlace extends RedisPlace {
  readonly server: Server

  constructor() {
    const server = Server.cluster()
    super('cluster', () => clusterClient(inject('servers').cluster.startupNodes), server)
    this.server = server
  }
}
