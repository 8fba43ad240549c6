import { isCluster, type RedisClient } from './client.js'

/** The options with which a client logs in and secures its connection. */
const CREDENTIALS = [
  'username',
  'password',
  'tls',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
] as const

export type Credentials = Readonly<Partial<Record<(typeof CREDENTIALS)[number], unknown>>>

/** A client's credentials as they are now: the application may change them, or define them as getters. */
export function credentialsOf(client: RedisClient): Credentials {
  const options = optionsOf(client)
  return Object.fromEntries(
    CREDENTIALS.filter((name) => name in options).map((name) => [name, Reflect.get(options, name)]),
  )
}

/**
 * Makes each connection with these options use the client's credentials of that moment, except those set on the options themselves (as
 * for one node of a cluster).
 * @param copied the client's credentials that the options were made with
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

/** The function that gives the client its user and password each time it connects; undefined where its options hold them. */
export function loginOf(client: RedisClient): (() => Promise<Credentials>) | undefined {
  const provider: unknown = Reflect.get(optionsOf(client), 'credentialsProvider')
  if (!isProvider(provider)) return undefined
  return async () => {
    const told: unknown = await provider.credentials()
    const { username, password } = Object(told)
    return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
  }
}

/** Whether this is the provider of node-redis that answers on request. (The other sort pushes new credentials.) */
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
