import { describe, inject } from 'vitest'
import type { Route } from '../chaos/order.js'
import type { Endpoint } from '../wire/wire.js'
import { keptByProcesses } from './processes.cases.js'

describe('one server', () => {
  const server = (): Endpoint => inject('servers').standalone
  const over = ({ host, port }: Endpoint): Route => ({
    to: 'standalone',
    server: { host, port },
    protocol: 3,
  })
  keptByProcesses({ at: () => over(server()), server, over }, { threads: true })
})

describe('Redis Cluster', () => {
  const nodes = () => inject('servers').cluster.startupNodes
  keptByProcesses({ at: () => ({ to: 'cluster', nodes: nodes(), natMap: {} }) })
})
