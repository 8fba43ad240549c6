import { describe, expect, test } from 'vitest'
import { connectionSettings } from '../../src/stores/redis/connection/settings.js'
import { standaloneClient } from '../setup/clients.js'

describe('settings of Holdfast’s own connections', () => {
  test('C1: what the application asked of its client for other ends is not taken over', () => {
    const hostile = standaloneClient({
      host: '127.0.0.1',
      port: 1,
      keyPrefix: 'app:',
      connectionName: 'application',
      autoResendUnfulfilledCommands: true,
      enableAutoPipelining: true,
      commandTimeout: 1,
      maxRetriesPerRequest: 20,
      readOnly: true,
      stringNumbers: true,
      enableOfflineQueue: false,
      monitor: true,
    })
    const mine = hostile.duplicate(connectionSettings(3_000, 'commands', hostile.options))
    expect(mine.options).toMatchObject({
      host: '127.0.0.1',
      port: 1,
      keyPrefix: '',
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: null,
      enableAutoPipelining: false,
      enableOfflineQueue: true,
      lazyConnect: true,
      readOnly: false,
      stringNumbers: false,
      monitor: false,
      connectionName: 'holdfast-commands',
    })
    expect(Reflect.get(mine.options, 'commandTimeout')).toBeUndefined()
    expect(hostile.options).toMatchObject({ keyPrefix: 'app:', readOnly: true })
  })

  test('C1: credentials, database and TLS are the application’s', () => {
    const own = { db: 3, username: 'joe', password: 'secret', tls: { servername: 'redis.example' } }
    const client = standaloneClient({ host: '127.0.0.1', port: 1, ...own })
    expect(client.duplicate(connectionSettings(3_000, 'commands')).options).toMatchObject(own)
  })

  test('C3: connecting has a deadline that goes with the commands’, and that a timer can hold', () => {
    expect(connectionSettings(3_000, 'commands')).toMatchObject({ connectTimeout: 3_000 })
    expect(connectionSettings(1, 'commands')).toMatchObject({ connectTimeout: 100 })
    expect(connectionSettings(2 ** 53, 'commands')).toMatchObject({ connectTimeout: 2 ** 31 - 1 })
  })
})
