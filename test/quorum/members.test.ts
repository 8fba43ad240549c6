import { describe, expect, test } from 'vitest'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { clusterClient, sentinelClient, standaloneClient } from '../setup/clients.js'

/** Never connected. */
const client = (port: number, options = {}) => standaloneClient({ host: '127.0.0.1', port, ...options })
const clients = (count: number) => Array.from({ length: count }, (_, index) => client(7001 + index))

describe('quorum refuses', () => {
  test.each([0, 1, 2])('%i servers: none of them may fail', (count) => {
    expect(() => quorum(clients(count))).toThrow(InvalidArgumentError)
    expect(() => quorum(clients(count))).toThrow('none may fail')
  })

  test.each([4, 6])('%i servers, with the reason why an even number gains nothing', (count) => {
    expect(() => quorum(clients(count))).toThrow(`tolerate no more failures than ${count - 1}`)
  })

  test('one client, or one store, twice', () => {
    const [one, other] = [client(7001), client(7002)]
    expect(() => quorum([one, other, one])).toThrow('members[0] is the same one')
    const store = new MemoryStore()
    expect(() => quorum([new MemoryStore(), store, store])).toThrow('members[1] is the same one')
  })

  test('two clients of one address, whatever their databases and prefixes', () => {
    expect(() => quorum([client(7001), client(7002), client(7001)])).toThrow('members[0] is the same one')
    expect(() => quorum([client(7001), client(7002), client(7002, { db: 3, keyPrefix: 'x:' })])).toThrow(
      'members[1] is the same one',
    )
  })

  test('node-redlock#64, redis-semaphore#15, #186, #208: a Cluster, and says what to do with it', () => {
    const cluster = clusterClient([{ host: '127.0.0.1', port: 7000 }])
    expect(() => quorum([client(7001), client(7002), cluster])).toThrow(
      /members\[2\] is the client of a Cluster.*independent.*pass its client to Holdfast itself/,
    )
    cluster.disconnect()
  })

  test('a Sentinel group: a replica that takes over lacks votes', () => {
    const group = sentinelClient({ sentinels: [{ host: '127.0.0.1', port: 7000 }], name: 'main' })
    expect(() => quorum([client(7001), group, client(7002)])).toThrow('is the client of a Sentinel group')
  })

  test.each([
    ['members', () => quorum(JSON.parse('"127.0.0.1"'))],
    ['members[1]', () => quorum([client(7001), JSON.parse('null'), client(7002)])],
    ['clientOrStore', () => quorum([client(7001), JSON.parse('{}'), client(7002)])],
    ['options', () => quorum(clients(3), JSON.parse('{"retries":3}'))],
    ['serverTimeoutMs', () => quorum(clients(3), { serverTimeoutMs: 0 })],
    ['restartGuardMs', () => quorum(clients(3), { restartGuardMs: -1 })],
  ])('unusable %s', (argument, make) => {
    expect(make).toThrow(expect.objectContaining({ name: 'InvalidArgumentError', argument }))
  })

  test('a server timeout that commands do not have', () => {
    const store = quorum(clients(3), { serverTimeoutMs: 300 })
    expect(() => new Holdfast(store, { commandTimeoutMs: 300 })).toThrow('less than commandTimeoutMs')
  })

  test('a watchdog thread', () => {
    const store = quorum(clients(3))
    expect(() => new Holdfast(store, { watchdogThread: true })).toThrow('watchdogThread')
  })
})
