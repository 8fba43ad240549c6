/**
 * The client library the tests run with: ioredis 6 unless `HOLDFAST_CLIENT` asks for another. Tests name ioredis and iovalkey where they
 * compare; if it asks for a node-redis, that stands in for them: with RESP3 for ioredis 6, with RESP2 for the others.
 */
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import * as iovalkey from 'iovalkey'
import type { ClusterClient, StandaloneClient } from '../../src/index.js'
import type { Endpoint } from '../wire/wire.js'
import { nodeRedisOf } from './node-redis.js'
import { nodeRedisLibraries } from './node-redis-libraries.js'

export const clientLibraries = ['ioredis-6', 'ioredis-5', 'iovalkey'] as const
export type ClientLibrary = (typeof clientLibraries)[number]

export const matrixLibraries = [...clientLibraries, ...nodeRedisLibraries] as const
export type MatrixLibrary = (typeof matrixLibraries)[number]

const asked = libraryNamed(process.env['HOLDFAST_CLIENT'] ?? 'ioredis-6')
const standIn = nodeRedisOf(asked)

export const clientLibrary: ClientLibrary = clientLibraries.find((each) => each === asked) ?? 'ioredis-6'

function libraryNamed(name: string): MatrixLibrary {
  const library = matrixLibraries.find((each) => each === name)
  if (!library) throw new Error(`HOLDFAST_CLIENT is "${name}"; accepted: ${matrixLibraries.join(', ')}`)
  return library
}

export function standaloneClient(
  options: Endpoint & Record<string, unknown>,
  library: MatrixLibrary = clientLibrary,
): StandaloneClient {
  const nodeRedis = nodeRedisOf(library) ?? standIn
  if (nodeRedis) return quiet(nodeRedis.standalone(withProtocol(options, library)))
  return quiet(ioredisOf(library, { ...options, lazyConnect: true }))
}

function ioredisOf(
  library: MatrixLibrary,
  options: object,
): ioredis6.Redis | ioredis5.Redis | iovalkey.Redis {
  if (library === 'ioredis-5') return new ioredis5.Redis(options)
  return library === 'iovalkey' ? new iovalkey.Redis(options) : new ioredis6.Redis(options)
}

export function sentinelClient(
  group: { sentinels: Endpoint[]; name: string },
  library: MatrixLibrary = clientLibrary,
  others = {},
): StandaloneClient {
  const options = { ...others, ...group, lazyConnect: true }
  const nodeRedis = nodeRedisOf(library) ?? standIn
  if (nodeRedis) return quiet(nodeRedis.sentinel(withProtocol(options, library)))
  return quiet(ioredisOf(library, options))
}

export function clusterClient(
  startupNodes: Endpoint[],
  options = {},
  library: MatrixLibrary = clientLibrary,
): ClusterClient {
  const lazy = { ...options, lazyConnect: true }
  const nodeRedis = nodeRedisOf(library) ?? standIn
  if (nodeRedis) return quiet(nodeRedis.cluster(startupNodes, withProtocol(lazy, library)))
  if (library === 'ioredis-5') return quiet(new ioredis5.Cluster(startupNodes, lazy))
  if (library === 'iovalkey') return quiet(new iovalkey.Cluster(startupNodes, lazy))
  return quiet(new ioredis6.Cluster(startupNodes, lazy))
}

/** What that library speaks unless it is told otherwise. */
function withProtocol<Options extends object>(
  options: Options,
  library: MatrixLibrary,
): Options & { protocol: unknown } {
  return { protocol: library === 'ioredis-6' || library === 'node-redis-6' ? 3 : 2, ...options }
}

/** Tests break connections on purpose; the client library would print each. */
function quiet<Client extends { on(event: 'error', listener: () => void): unknown }>(client: Client): Client {
  client.on('error', () => undefined)
  return client
}
