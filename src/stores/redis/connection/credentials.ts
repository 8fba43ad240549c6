import { isCluster, type RedisClient } from './client.js'

/** What a server asks of who connects to it, and what the connection is secured with. */
const CREDENTIALS = [
  'username',
  'password',
  'tls',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
] as const

export type Credentials = Readonly<Partial<Record<(typeof CREDENTIALS)[number], unknown>>>

/** Those of a client as they are now: the application may change them, or have made properties of them that compute. */
export function credentialsOf(client: RedisClient): Credentials {
  const options = optionsOf(client)
  return Object.fromEntries(
    CREDENTIALS.filter((name) => name in options).map((name) => [name, Reflect.get(options, name)]),
  )
}

/**
 * Has whatever connects with these options use the client's credentials of that moment, but for those that it was given of its own (a node of a
 * cluster may have been).
 * @param copied those that the options were made with, as far as they come from that client
 */
export function followCredentials(
  options: object,
  client: RedisClient,
  copied: Credentials = credentialsOf(client),
): void {
  for (const name of CREDENTIALS) {
    const computed = Object.getOwnPropertyDescriptor(optionsOf(client), name)?.get !== undefined
    if (!computed && (Reflect.get(options, name) ?? null) !== (copied[name] ?? null)) continue
    Object.defineProperty(options, name, {
      get: () => credentialsOf(client)[name],
      enumerable: true,
      configurable: true,
    })
  }
}

/** What the client is told its user and password by, each time that it connects; undefined where they stand in its options. */
export function loginOf(client: RedisClient): (() => Promise<Credentials>) | undefined {
  const provider: unknown = Reflect.get(optionsOf(client), 'credentialsProvider')
  if (!isProvider(provider)) return undefined
  return async () => {
    const told: unknown = await provider.credentials()
    const { username, password } = Object(told)
    return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
  }
}

/** Of node-redis: one that can be asked. (The other sort tells of new ones when it likes.) */
export function isProvider(value: unknown): value is { credentials(): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'credentials' in value &&
    typeof value.credentials === 'function'
  )
}

function optionsOf(client: RedisClient): object {
  return isCluster(client) ? (client.options.redisOptions ?? {}) : client.options
}
