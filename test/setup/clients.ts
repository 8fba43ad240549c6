/** The client library the tests run with: ioredis 6 unless `HOLDFAST_CLIENT` asks for another. */
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import * as iovalkey from 'iovalkey'
import type { ClusterClient, StandaloneClient } from '../../src/index.js'

export const clientLibraries = ['ioredis-6', 'ioredis-5', 'iovalkey'] as const
export type ClientLibrary = (typeof clientLibraries)[number]

export const clientLibrary: ClientLibrary = libraryNamed(process.env['HOLDFAST_CLIENT'] ?? 'ioredis-6')

function libraryNamed(name: string): ClientLibrary {
  const library = clientLibraries.find((each) => each === name)
  if (!library) throw new Error(`HOLDFAST_CLIENT is "${name}"; accepted: ${clientLibraries.join(', ')}`)
  return library
}

interface Endpoint {
  host: string
  port: number
}

/** A client of one server, as an application would make it. */
export function standaloneClient(
  options: Endpoint & Record<string, unknown>,
  library = clientLibrary,
): StandaloneClient {
  if (library === 'ioredis-5') return quiet(new ioredis5.Redis({ ...options, lazyConnect: true }))
  if (library === 'iovalkey') return quiet(new iovalkey.Redis({ ...options, lazyConnect: true }))
  return quiet(new ioredis6.Redis({ ...options, lazyConnect: true }))
}

/** A client of a Sentinel group. */
export function sentinelClient(
  group: { sentinels: Endpoint[]; name: string },
  library = clientLibrary,
): StandaloneClient {
  const options = { ...group, lazyConnect: true }
  if (library === 'ioredis-5') return quiet(new ioredis5.Redis(options))
  if (library === 'iovalkey') return quiet(new iovalkey.Redis(options))
  return quiet(new ioredis6.Redis(options))
}

/** A client of a cluster. */
export function clusterClient(
  startupNodes: Endpoint[],
  options = {},
  library = clientLibrary,
): ClusterClient {
  const lazy = { ...options, lazyConnect: true }
  if (library === 'ioredis-5') return quiet(new ioredis5.Cluster(startupNodes, lazy))
  if (library === 'iovalkey') return quiet(new iovalkey.Cluster(startupNodes, lazy))
  return quiet(new ioredis6.Cluster(startupNodes, lazy))
}

/** Tests break connections on purpose; the client library would print each. */
function quiet<Client extends { on(event: 'error', listener: () => void): unknown }>(client: Client): Client {
  client.on('error', () => undefined)
  return client
}
