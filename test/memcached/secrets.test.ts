/** Whatever becomes of a login at memcached, etcd and ZooKeeper: no error, event, trace or metric tells the secrets. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type Store } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { freePort } from '../servers/port.js'
import { standIn } from '../servers/stand-in.js'
import { Marker, useWithout } from '../setup/marker.js'

interface Login {
  readonly user: string
  readonly password: string
}

const stores: Readonly<Record<string, (address: string, login: Login) => Store>> = {
  memcached: (address, { user: username, password }) =>
    memcached({ servers: [address], credentials: { username, password } }),
  'memcached, credentials as a function': (address, { user: username, password }) =>
    memcached({ servers: [address], credentials: async () => ({ username, password }) }),
  etcd: (address, credentials) => etcd({ hosts: address, credentials }),
  zookeeper: (address, credentials) => zookeeper({ servers: address, credentials }),
}

const strangers: Readonly<Record<string, (socket: Socket) => void>> = {
  'hangs up': (socket) => socket.destroy(),
  'hangs up when it has heard': (socket) => void socket.once('data', () => socket.destroy()),
  'speaks HTTP, and repeats all': (socket) => {
    socket.on('data', (data) => socket.write(`HTTP/1.1 400 Bad Request\r\n\r\n${data}`))
  },
  'repeats all in one line': (socket) => {
    socket.on('data', (data) => socket.write(`ERROR ${String(data).replaceAll(/\s+/g, ' ')}\r\n`))
  },
  'refuses in its own words': (socket) => {
    socket.on('data', (data) => socket.write(`CLIENT_ERROR no ${String(data).replaceAll(/\s+/g, ' ')}\r\n`))
  },
}

const HASTE = { commandTimeoutMs: 1_000, storeTimeoutMs: 300 }

async function tried(address: string, names = Object.keys(stores)): Promise<void> {
  const used = Object.entries(stores).map(async ([library, make]) => {
    if (!names.includes(library)) return
    const marker = new Marker(library)
    const login = { user: `user-${marker.text}`, password: `pass-${marker.text}` }
    const errors = await useWithout(marker, new Holdfast(make(address, login), HASTE), randomUUID())
    expect(errors, library).not.toEqual([])
  })
  await Promise.all(used)
}

let servers: readonly [MemcachedServer, EtcdServer]
beforeAll(async () => {
  servers = await Promise.all([MemcachedServer.start({ users: ['app:first'] }), EtcdServer.start()])
  const [, keys] = servers
  await keys.ctl('user', 'add', 'root:x')
  await keys.ctl('user', 'grant-role', 'root', 'root')
  await keys.ctl('auth', 'enable')
})
afterAll(() => Promise.all((servers ?? []).map((server) => server.stop())))

test('faults A2: a login that the server refuses', async () => {
  const [cache, keys] = servers
  await tried(cache.address, ['memcached', 'memcached, credentials as a function'])
  await tried(keys.url, ['etcd'])
})

test.each(Object.entries(strangers))('faults A2: a login where the server %s', async (_, greet) => {
  const stranger = await standIn(greet)
  onTestFinished(() => stranger.stop())
  await tried(stranger.address)
})

test('faults A2: a login where nobody listens', async () => {
  await tried(`127.0.0.1:${await freePort()}`)
})
