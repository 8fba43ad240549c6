import process from 'node:process'
import type { TestProject } from 'vitest/node'
import { bringCluster, bringSentinel, bringServer, parseWanted, type Wanted } from '../servers/index.js'
import { offerDatabases } from './databases.js'
import { buildPrograms } from './programs.js'

/** Where the servers are that all test files of a run share, given by `inject('servers')`. */
export interface SharedServers {
  readonly flavour: Wanted
  /** Product and version as the standalone server says them. */
  readonly version: string
  readonly standalone: { host: string; port: number; url: string }
  /** One more, for tests that count commands: no other has it forget its scripts, which would be sent once more. */
  readonly counted: { host: string; port: number }
  readonly cluster: { startupNodes: { host: string; port: number }[] }
  readonly sentinel: { sentinels: { host: string; port: number }[]; name: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: SharedServers
  }
}

interface Brought {
  readonly servers: SharedServers
  readonly programs: string
  readonly databases: number
  stop(): Promise<void>
}

declare global {
  /** The projects of a run share their servers, but each loads this module for itself. */
  var holdfastBrought: { readonly brought: Promise<Brought>; users: number } | undefined
}

/** Gives a project the servers of the run; the first that asks has them brought, the last that leaves ends them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.holdfastBrought ??= { brought: bring(), users: 0 }
  const shared = globalThis.holdfastBrought
  shared.users += 1
  const { servers, programs, databases, stop } = await shared.brought
  project.provide('servers', servers)
  project.provide('programs', programs)
  project.provide('databases', databases)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    globalThis.holdfastBrought = undefined
    await stop()
  }
}

/** Brings two servers, one cluster, one sentinel group and the programs for the whole run, and databases when asked for. */
async function bring(): Promise<Brought> {
  const flavour = parseWanted(process.env['HOLDFAST_FLAVOUR'] ?? 'redis-7.0')
  const stops: Array<() => Promise<void>> = []
  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((each) => each()))
  }
  const kept = async <Part extends { stop(): Promise<void> }>(bringing: Promise<Part>): Promise<Part> => {
    const part = await bringing
    stops.push(() => part.stop())
    return part
  }
  // The first fetches the server's program where it is not there yet; the others find it.
  const server = await kept(bringServer({ flavour }))
  const others = [
    kept(bringServer({ flavour })),
    kept(bringCluster({ flavour })),
    kept(bringSentinel({ flavour })),
    kept(buildPrograms()),
    kept(offerDatabases()),
  ] as const
  try {
    const [counted, cluster, group, programs, databases] = await Promise.all(others)
    const servers = {
      flavour,
      version: server.version,
      standalone: { host: server.host, port: server.port, url: server.url },
      counted: { host: counted.host, port: counted.port },
      cluster: { startupNodes: cluster.startupNodes },
      sentinel: { sentinels: group.sentinels, name: group.name },
    }
    return { servers, programs: programs.folder, databases: databases.port, stop }
  } catch (error) {
    await Promise.allSettled(others)
    await stop()
    throw error
  }
}
