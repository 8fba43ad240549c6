import { describe, inject } from 'vitest'
import type { Route } from '../chaos/order.js'
import type { Endpoint } from '../wire/wire.js'
import { keptByProcesses } from './processes.cases.js'

describe('one server', () => {
  const server = (): Endpoint => inject('servers').standalone
  const over = (wire: Endpoint): Route => ({
    to: 'standalone',
    server: { host: wire.host, port: wire.port },
    protocol: 3,
  })
  keptByProcesses({ at: () => over(server()), server, over }, { threads: true })
})

describe('Redis Cluster', () =>
  keptByProcesses({
    at: () => ({ to: 'cluster', nodes: inject('servers').cluster.startupNodes, natMap: {} }),
  }))
