import process from 'node:process'
import type { TestProject } from 'vitest/node'
import { bringCluster, bringSentinel, bringServer, parseWanted, type Wanted } from '../servers/index.js'

/** Where the servers are that all test files of a run share, given by `inject('servers')`. */
export interface SharedServers {
  readonly flavour: Wanted
  /** Product and version as the standalone server says them. */
  readonly version: string
  readonly standalone: { host: string; port: number; url: string }
  readonly cluster: { startupNodes: { host: string; port: number }[] }
  readonly sentinel: { sentinels: { host: string; port: number }[]; name: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: SharedServers
  }
}

/** Brings one server, one cluster and one sentinel group for the whole run, and ends them after it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const flavour = parseWanted(process.env['HOLDFAST_FLAVOUR'] ?? 'redis-7.0')
  const server = await bringServer({ flavour })
  const stops = [() => server.stop()]
  const teardown = async (): Promise<void> => {
    await Promise.all(stops.map((stop) => stop()))
  }
  try {
    const cluster = await bringCluster({ flavour })
    stops.push(cluster.stop)
    const group = await bringSentinel({ flavour })
    stops.push(group.stop)
    project.provide('servers', {
      flavour,
      version: server.version,
      standalone: { host: server.host, port: server.port, url: server.url },
      cluster: { startupNodes: cluster.startupNodes },
      sentinel: { sentinels: group.sentinels, name: group.name },
    })
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}
