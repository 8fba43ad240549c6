import process from 'node:process'
import { InvalidArgumentError } from '../../../base/errors/errors.js'
import { isCluster, type RedisClient } from '../connection/client.js'
import { type Credentials, credentialsOf, isProvider } from '../connection/credentials.js'

type Data = null | boolean | number | bigint | string | ArrayBufferView | Data[] | { [name: string]: Data }

/** How another thread reaches the application's server: its client's options, as far as they are data. */
export type ClientSettings =
  | { readonly kind: 'standalone'; readonly options: Readonly<Record<string, Data>> }
  | {
      readonly kind: 'cluster'
      readonly startupNodes: readonly Data[]
      readonly options: Readonly<Record<string, Data>>
    }

/** Credentials, as data. */
export type CopiedCredentials = Readonly<Record<string, Data>>

/** Options that may be code, and that a connection does without: retries, the node to read from, commands to define. */
const NOT_NEEDED = new Set([
  'clusterNodeRetryStrategy',
  'clusterRetryStrategy',
  'himportFieldsets',
  'preferredSlaves',
  'reconnectOnError',
  'retryStrategy',
  'scaleReads',
  'scripts',
  'sentinelReconnectStrategy',
  'sentinelRetryStrategy',
])

/**
 * What another thread needs to connect as the application does.
 *
 * @throws `InvalidArgumentError` naming the option if one that matters cannot be copied to another thread.
 */
export function clientSettings(client: RedisClient): ClientSettings {
  const options = copyOptions(client.options)
  if (!isCluster(client)) return { kind: 'standalone', options }
  const startupNodes = 'startupNodes' in client ? client.startupNodes : undefined
  if (!Array.isArray(startupNodes) || startupNodes.length === 0) {
    throw refusal('startupNodes', startupNodes)
  }
  return {
    kind: 'cluster',
    startupNodes: startupNodes.map((node, index) => copy(node, `startupNodes[${index}]`)),
    options,
  }
}

/** The same with other credentials. */
export function withLogin(settings: ClientSettings, login: CopiedCredentials): ClientSettings {
  if (settings.kind === 'standalone') return { ...settings, options: { ...settings.options, ...login } }
  const redisOptions = { ...Object(settings.options['redisOptions']), ...login }
  return { ...settings, options: { ...settings.options, redisOptions } }
}

/** Its credentials of this moment, once they are others than those. */
export function newCredentials(client: RedisClient, known: Credentials): Credentials | undefined {
  const now = credentialsOf(client)
  const same = Object.entries(now).every(([name, value]) => value === Reflect.get(known, name))
  return same ? undefined : now
}

/** @throws `InvalidArgumentError` if they cannot be copied to another thread. */
export function copyOptions(options: object): Record<string, Data> {
  const copied: Record<string, Data> = {}
  for (const [name, value] of Object.entries(options)) {
    // This thread asks a provider.
    if (value === undefined || NOT_NEEDED.has(name) || isDefault(value) || isProvider(value)) continue
    if (name === 'redisOptions') copied[name] = copyOptions(value)
    else copied[name] = copy(value, name)
  }
  return copied
}

/** A Cluster's options name Node's own functions where the application names none: the thread's client has the same. */
function isDefault(value: unknown): boolean {
  const { lookup, resolveSrv } = process.getBuiltinModule('node:dns')
  return value === lookup || value === resolveSrv
}

function copy(value: unknown, path: string): Data {
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return value
    case 'object':
      if (value === null || ArrayBuffer.isView(value)) return value
      if (Array.isArray(value)) return value.map((each, index) => copy(each, `${path}[${index}]`))
      if (isPlain(value)) return copyFields(value, path)
  }
  throw refusal(path, value)
}

function copyFields(value: object, path: string): { [name: string]: Data } {
  const copied: { [name: string]: Data } = {}
  for (const [name, each] of Object.entries(value)) {
    if (each !== undefined) copied[name] = copy(each, `${path}.${name}`)
  }
  return copied
}

/** Whether it is an object of no class, of whichever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function refusal(path: string, value: unknown): InvalidArgumentError {
  return new InvalidArgumentError(
    `client option ${path}`,
    value,
    'with watchdogThread, only data (strings, numbers, Buffers, arrays and plain objects of these), because the thread opens its ' +
      'own connection and code cannot be copied to it. Pass this option as data, omit it, or turn watchdogThread off',
  )
}
