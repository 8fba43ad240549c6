import { lookup } from 'node:dns'
import { createSecureContext } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError, type RedisClient } from '../../src/index.js'
import { clientSettings } from '../../src/stores/redis/watchdog-thread/client-settings.js'
import { clientLibraries, clusterClient, sentinelClient, standaloneClient } from '../setup/clients.js'

const server = { host: '127.0.0.1', port: 1 }

describe.each(clientLibraries)('what a thread is told of a client (%s)', (library) => {
  const standalone = (options = {}): RedisClient => standaloneClient({ ...server, ...options }, library)
  const cluster = (options = {}): RedisClient =>
    clusterClient([server, { port: 2, host: 'b' }], options, library)

  test('how to reach the server, and nothing that is code', () => {
    const options = {
      db: 3,
      username: 'user',
      password: 'secret',
      keyPrefix: 'app:',
      family: 6,
      tls: { ca: 'certificate', key: Buffer.from('key'), servername: 'redis', alpnProtocols: ['a'] },
      retryStrategy: () => 5,
      reconnectOnError: () => true,
    }
    const settings = clientSettings(standalone(options))
    const { retryStrategy, reconnectOnError, ...data } = options
    expect(settings).toMatchObject({ kind: 'standalone', options: { ...server, ...data } })
    expect(structuredClone(settings)).toMatchObject({ options: { ...server, db: 3 } })
  })

  test('a path in place of a port; the sentinels and the group', () => {
    const path = { path: '/run/redis.sock' }
    expect(clientSettings(standalone(path))).toMatchObject({ options: path })
    const group = { sentinels: [server], name: 'group' }
    expect(clientSettings(sentinelClient(group, library))).toMatchObject({ options: group })
  })

  test('the startup nodes and options of a cluster', () => {
    const options = {
      keyPrefix: 'app:',
      natMap: { 'a:1': { host: 'b', port: 2 } },
      redisOptions: { password: 'secret', tls: {}, reconnectOnError: () => true },
      scaleReads: () => undefined,
    }
    const settings = clientSettings(cluster(options))
    expect(settings).toMatchObject({
      kind: 'cluster',
      startupNodes: [server, { port: 2, host: 'b' }],
      options: { keyPrefix: 'app:', natMap: options.natMap, redisOptions: { password: 'secret', tls: {} } },
    })
    expect(structuredClone(settings)).toEqual(settings)
  })

  test.each([
    ['Connector', standalone({ Connector: class {} })],
    ['tls.checkServerIdentity', standalone({ tls: { checkServerIdentity: () => undefined } })],
    ['tls.secureContext', standalone({ tls: { secureContext: createSecureContext() } })],
    ['tls.checkServerIdentity', cluster({ redisOptions: { tls: { checkServerIdentity: () => undefined } } })],
    ['natMap', cluster({ natMap: () => null })],
    ['dnsLookup', cluster({ dnsLookup: (...words: Parameters<typeof lookup>) => lookup(...words) })],
  ])('%s as code is refused, with the option named', (option, client) => {
    const settings = () => clientSettings(client)
    expect(settings).toThrow(InvalidArgumentError)
    expect(settings).toThrow(new RegExp(`^client option .*${option.replace('.', '\\.')} is `))
  })
})
