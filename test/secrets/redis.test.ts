/** Whatever a server of Redis, or what stands in its place, does with a login: no error, event, trace or metric tells the secrets. */
import type { Socket } from 'node:net'
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import * as iovalkey from 'iovalkey'
import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, type HoldfastOptions, quorum, type RedisClient } from '../../src/index.js'
import { nodeRedis } from '../../src/stores/node-redis/index.js'
import { freePort } from '../servers/port.js'
import { standIn } from '../servers/stand-in.js'
import { Marker, useWithout } from '../setup/marker.js'

interface Where {
  readonly host: string
  readonly port: number
}

interface Login {
  readonly username: string
  readonly password: string
}

/** Each library's client of one server, with the login in a URL or in options. */
const single: Readonly<Record<string, (where: Where, login: Login) => RedisClient>> = {
  'ioredis 6, URL': (where, login) => quiet(new ioredis6.Redis(urlOf(where, login), { lazyConnect: true })),
  'ioredis 6, options, RESP2': (where, login) =>
    quiet(new ioredis6.Redis({ ...where, ...login, lazyConnect: true, protocol: 2 })),
  'ioredis 5, options': (where, login) =>
    quiet(new ioredis5.Redis({ ...where, ...login, lazyConnect: true })),
  'iovalkey, URL': (where, login) => quiet(new iovalkey.Redis(urlOf(where, login), { lazyConnect: true })),
  'node-redis 6, URL': (where, login) => nodeRedis(redis6.createClient({ url: urlOf(where, login) })),
  'node-redis 6, options, RESP3': (where, login) =>
    nodeRedis(redis6.createClient({ socket: where, ...login, RESP: 3 })),
  'node-redis 5, credentialsProvider': (where, login) =>
    nodeRedis(
      redis5.createClient({
        socket: where,
        credentialsProvider: { type: 'async-credentials-provider', credentials: async () => login },
      }),
    ),
  'node-redis 5.9, URL': (where, login) => nodeRedis(oldest.createClient({ url: urlOf(where, login) })),
}

/** Those of several servers, where nobody answers but the one. */
const several: Readonly<Record<string, (where: Where, login: Login) => RedisClient>> = {
  'ioredis 6, Cluster': (where, login) =>
    quiet(
      new ioredis6.Cluster([{ ...where, ...login }], {
        lazyConnect: true,
        redisOptions: login,
        clusterRetryStrategy: () => null,
      }),
    ),
  'ioredis 6, Sentinel': (where, { username, password }) =>
    quiet(
      new ioredis6.Redis({
        sentinels: [where],
        name: 'main',
        username,
        password,
        sentinelUsername: username,
        sentinelPassword: password,
        lazyConnect: true,
      }),
    ),
  'node-redis 6, cluster': (where, login) =>
    nodeRedis(redis6.createCluster({ rootNodes: [{ url: urlOf(where, login) }], defaults: login })),
  'node-redis 6, Sentinel': (where, login) =>
    nodeRedis(redis6.createClient(login), {
      sentinel: { name: 'main', sentinelRootNodes: [where], sentinelClientOptions: login },
    }),
}

function urlOf({ host, port }: Where, { username, password }: Login): string {
  return `redis://${username}:${password}@${host}:${port}`
}

function quiet<Client extends { on(event: 'error', listener: () => void): unknown; disconnect(): void }>(
  client: Client,
): Client {
  client.on('error', () => undefined)
  onTestFinished(() => client.disconnect())
  return client
}

type Answer = (words: readonly string[], socket: Socket) => string | undefined

/** What servers, and what is no server, answer to a login. */
const answers: Readonly<Record<string, Answer>> = {
  'hangs up': (_, socket) => void socket.destroy(),
  'is silent': () => undefined,
  'knows no HELLO, and repeats it': (words) =>
    `-ERR unknown command '${words[0]}', with args beginning with: ${words
      .slice(1)
      .map((each) => `'${each}'`)
      .join(', ')}\r\n`,
  'repeats all': (words) => `-ERR cannot do that: ${words.join(' ')}\r\n`,
  'refuses the user': (words) =>
    `-NOPERM User ${words[3] ?? words[1]} has no permissions to run the 'hello' command\r\n`,
  'speaks HTTP': (words) => `HTTP/1.1 400 Bad Request\r\nX-Request: ${words.join(' ')}\r\n\r\n`,
}

async function answering(answer: Answer): Promise<Where> {
  const server = await standIn((socket) => {
    socket.on('data', (data) => {
      for (const words of commandsIn(data.toString())) {
        const told = answer(words, socket)
        if (told !== undefined && !socket.destroyed) socket.write(told)
      }
    })
  })
  onTestFinished(() => server.stop())
  return server
}

/** Commands arrive whole here: they are short. */
function commandsIn(text: string): string[][] {
  return text
    .split(/^\*\d+\r\n/m)
    .slice(1)
    .map((command) => command.split('\r\n').filter((_, index) => index % 2 === 1))
}

const HASTE: HoldfastOptions = { commandTimeoutMs: 1_000, storeTimeoutMs: 300 }

/** Markers are both, and long: what repeats either repeats the marker. */
function loginOf({ text }: Marker): Login {
  return { username: `user-${text}`, password: `pass-${text}` }
}

/** Has each client used with a login of its own, of which nothing is told. Resolves with the errors of each. */
function usedWith(makes: typeof single, where: Where): Promise<Array<[library: string, errors: unknown[]]>> {
  return Promise.all(
    Object.entries(makes).map(async ([library, make]) => {
      const marker = new Marker(library)
      return [library, await useWithout(marker, new Holdfast(make(where, loginOf(marker)), HASTE), 'invoice')]
    }),
  )
}

describe('faults A2: a login of Redis is told nowhere', () => {
  const all = { ...single, ...several }

  test.each(Object.entries(answers))('where the server %s', async (_, answer) => {
    for (const [library, errors] of await usedWith(all, await answering(answer)))
      expect(errors, library).not.toEqual([])
  })

  test('where nobody listens', async () => await usedWith(all, { host: '127.0.0.1', port: await freePort() }))

  test('where the server knows no such user', async () => {
    const { host, port } = inject('servers').standalone
    for (const [library, [first]] of await usedWith(single, { host, port }))
      expect(first, library).toMatchObject({ code: 'STORE_ERROR' })
  })

  test('with a watchdog thread, and in a quorum', async () => {
    const marker = new Marker()
    const { host, port } = inject('servers').standalone
    const client = (where: Where): RedisClient =>
      quiet(new ioredis6.Redis({ ...where, ...loginOf(marker), lazyConnect: true }))
    const renewing = new Holdfast(client({ host, port }), { ...HASTE, watchdogThread: true })
    await useWithout(marker, renewing, 'invoice')
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    const members = ports.map((each) => client({ host: '127.0.0.1', port: each }))
    const holdfast = new Holdfast(quorum(members, { serverTimeoutMs: 50 }), HASTE)
    const lock = holdfast.lock('invoice')
    marker.expectNone(await lock.tryAcquire().catch((error: unknown) => error), 'an error')
    await holdfast.close({ timeoutMs: 100 })
  })
})
