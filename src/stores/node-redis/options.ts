import { fieldOf, objectIn } from './shapes.js'

/** Resets options that serve the application's own commands. RESP2 cannot do some of them. */
export const PLAIN = {
  // Its parts are in the other options.
  url: undefined,
  // Otherwise version 6 limits each command to five seconds, with a timer for each.
  commandOptions: { timeout: undefined },
  commandsQueueMaxLength: undefined,
  disableOfflineQueue: false,
  pingInterval: undefined,
  readonly: false,
  clientSideCache: undefined,
  emitInvalidate: false,
  maintNotifications: 'disabled',
}

/** The options of a socket that ioredis has beside `tls`, by the same names. */
const PLACE = ['host', 'port', 'path', 'family'] as const

/** The options of a socket that do not belong to TLS. */
const NOT_TLS = new Set<string>([
  ...PLACE,
  'tls',
  'connectTimeout',
  'keepAlive',
  'keepAliveInitialDelay',
  'noDelay',
  'reconnectStrategy',
  'socketTimeout',
])

/**
 * The options of a client by the names that ioredis has for them: so the watchdog thread, which brings its own client library, reaches the
 * same server.
 */
export function namedAsByIoredis(options: unknown): Record<string, unknown> {
  const socket = objectIn(options, 'socket')
  const place = PLACE.map((name) => [name, fieldOf(socket, name)] as const)
  return known({
    ...known(Object.fromEntries(place)),
    ...credentialsIn(options),
    db: fieldOf(options, 'database'),
    connectionName: fieldOf(options, 'name'),
    tls: fieldOf(socket, 'tls') === true ? tlsIn(socket) : undefined,
  })
}

/** The credentials among the options. Clients turn user and password into a provider, which then says nothing more. */
function credentialsIn(options: unknown): Record<string, unknown> {
  const [username, password] = [fieldOf(options, 'username'), fieldOf(options, 'password')]
  if (username !== undefined || password !== undefined) return { username, password }
  return { credentialsProvider: fieldOf(options, 'credentialsProvider') }
}

/** Makes these options show the present user and password of those: an application may change them. */
export function followLogin(options: object, theirs: object | undefined): void {
  for (const name of ['username', 'password']) {
    if (fieldOf(theirs, name) === undefined) continue
    const get = (): unknown => fieldOf(theirs, name)
    Object.defineProperty(options, name, { get, enumerable: true, configurable: true })
  }
}

function tlsIn(socket: object | undefined): object {
  return Object.fromEntries(Object.entries(socket ?? {}).filter(([name]) => !NOT_TLS.has(name)))
}

function known(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
