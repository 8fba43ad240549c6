import { inject } from 'vitest'
import { Bystander } from '../setup/bystander.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { RedisPlace } from './places.js'

/** Read-write locks on the run's standalone server. */
export class StandalonePlace extends RedisPlace {
  constructor(options: { protocol?: number; keyPrefix?: string } = {}) {
    const pattern = () => standaloneClient({ ...inject('servers').standalone, ...options })
    super('standalone', pattern, Bystander.standalone())
  }
}

/** Read-write locks on the run's cluster. */
export class ClusterPlace extends RedisPlace {
  constructor() {
    super('cluster', () => clusterClient(inject('servers').cluster.startupNodes), Bystander.cluster())
  }
}
