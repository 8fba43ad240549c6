/** Who may do what on a server of ZooKeeper, and over what. */
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Holdfast, InvalidArgumentError, StoreError } from '../../src/index.js'
import type { Operation } from '../../src/stores/zookeeper/client/operations.js'
import { type ZooKeeperOptions, zookeeper } from '../../src/stores/zookeeper/index.js'
import { freePort } from '../servers/port.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { certificate, trust } from '../setup/certificate.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'

const scene = new Scene()
const [worker, stranger] = [
  { user: 'worker', password: 'a password of workers' },
  { user: 'stranger', password: 'another password' },
]

const port = await freePort()
const secure = `127.0.0.1:${port}`
const server = duringAll(() =>
  ZooKeeperServer.start({
    settings: {
      secureClientPort: port,
      secureClientPortAddress: '127.0.0.1',
      serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
      'ssl.keyStore.location': 'server.pem',
      'ssl.keyStore.type': 'PEM',
      'ssl.trustStore.location': 'trust.pem',
      'ssl.trustStore.type': 'PEM',
      'ssl.clientAuth': 'none',
    },
    files: { 'server.pem': `${certificate.key}\n${certificate.cert}`, 'trust.pem': certificate.cert },
  }),
)

describe('credentials', () => {
  test('what a user makes is for that user alone: others get a typed error, and hold nothing', async () => {
    const mine = scene.holdfast({ servers: server.address, root: '/ours', credentials: worker })
    const alike = scene.holdfast({ servers: server.address, root: '/ours', credentials: worker })
    await mine.lock('door').withLock(async () => {
      expect(await alike.lock('door').tryAcquire()).toBeNull()
    })
    for (const credentials of [stranger, undefined]) {
      const other = scene.holdfast({ servers: server.address, root: '/ours', credentials })
      const refused = await rejectionOf(other.lock('door').acquire())
      expect(refused).toMatchObject({ code: 'STORE_ERROR', reason: 'permission', transient: false })
      expect(inspect(refused, { depth: 9 })).not.toContain('password of')
    }
    expect(await mine.lock('door').isLocked()).toBe(false)
  })

  test('with what they make open to anybody, users share locks', async () => {
    const open = { servers: server.address, root: '/open', acl: 'anyone' } as const
    const one = scene.holdfast({ ...open, credentials: worker })
    const other = scene.holdfast({ ...open, credentials: stranger })
    const hold = await one.lock('door').acquire()
    const waiting = other.lock('door').acquire({ waitMs: 10_000 })
    await hold.release()
    await (await waiting).release()
  })

  test('they are given anew on each connection, and are good for the session that goes on', async () => {
    const mine = scene.holdfast({ servers: server.address, root: '/again', credentials: worker })
    const hold = await mine.lock('door').acquire()
    await server.kill()
    await server.start()
    await server.serves()
    await hold.release()
    await mine.lock('door').withLock(() => undefined)
  })
})

/** What ZooKeeper calls c, d and r. */
const RIGHTS = { create: 4, delete: 8, read: 1 } as const

/** A root as an administrator makes it for a worker. */
function rootWith(path: string, rights: number): Operation<string> {
  const { user, password } = worker
  const digest = createHash('sha1').update(`${user}:${password}`).digest('base64')
  return {
    name: 'create',
    type: 1,
    write: (out) => {
      out.text(path).buffer(new Uint8Array()).int(1).int(rights)
      return out.text('digest').text(`${user}:${digest}`).int(0)
    },
    read: (reply) => reply.text(),
  }
}

async function namesIn(client: Holdfast): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of client.list()) names.push(name)
  return names
}

describe('the least rights', () => {
  test('to create, delete and read below the root are enough for all that a lock does', async () => {
    const session = await scene.session(server.address)
    await session.request(rootWith('/least', RIGHTS.create + RIGHTS.delete + RIGHTS.read))
    const options = { servers: server.address, root: '/least', credentials: worker }
    const [one, other] = [scene.holdfast(options, { watchdogMs: 3_000 }), scene.holdfast(options)]
    const hold = await one.lock('door').acquire()
    const waiting = other.lock('door').acquire({ waitMs: 10_000 })
    await until(async () => (await one.lock('door').countWaitingClients()) === 1, { what: 'it waits' })
    expect(await namesIn(other)).toEqual(['door'])
    await hold.release()
    const next = await waiting
    expect(await one.lock('door').forceUnlock()).toBe(true)
    await until(() => next.signal.aborted, { what: 'it is told' })
    const book = one.readWriteLock('book').writeLock()
    await book.withLock({ leaseMs: 5_000 }, () => undefined)
    expect((await other.fencedLock('door').acquire()).fence).toBeGreaterThan(0n)
  })

  test.each([
    ['create', RIGHTS.delete + RIGHTS.read, (client: Holdfast) => client.lock('door').acquire()],
    ['read', RIGHTS.create + RIGHTS.delete, (client: Holdfast) => namesIn(client)],
  ] as const)(
    'without the right to %s: a typed error that says which are needed',
    async (missing, rights, attempt) => {
      const root = `/without-${missing}`
      await (await scene.session(server.address)).request(rootWith(root, rights))
      const holdfast = scene.holdfast({ servers: server.address, root, credentials: worker })
      const refused = await rejectionOf(attempt(holdfast))
      expect(refused).toMatchObject({ reason: 'permission', transient: false })
      expect(String(refused)).toContain('(cdr)')
    },
  )
})

describe('TLS', () => {
  test('with the right authority', async () => {
    const holdfast = scene.holdfast({ servers: secure, root: '/secure', tls: { ca: certificate.cert } })
    expect(await holdfast.lock('door').withLock(() => 'in')).toBe('in')
  })

  test.each([
    ['another authority', { ca: trust.wrong.ca }],
    ['another name', { ca: certificate.cert, servername: 'elsewhere.test' }],
  ])('with %s: a typed error that says so', async (_, tls) => {
    const holdfast = scene.holdfast({ servers: secure, tls }, { commandTimeoutMs: 500, storeTimeoutMs: 0 })
    const refused = await rejectionOf(holdfast.lock('door').acquire())
    expect(refused).toMatchObject({ reason: 'unreachable' })
    expect(String(refused)).toContain('does not trust the certificate')
  })

  test('to a port without it, and without it to a port that has it: a typed error in time', async () => {
    for (const options of [{ servers: server.address, tls: { ca: certificate.cert } }, { servers: secure }]) {
      const holdfast = scene.holdfast(options, { commandTimeoutMs: 500, storeTimeoutMs: 0 })
      await expect(holdfast.lock('door').acquire()).rejects.toBeInstanceOf(StoreError)
    }
  })
})

test('sessions that the server does not keep for long enough: an error that says what to set', async () => {
  const holdfast = scene.holdfast(server.address, { watchdogMs: 60_000 })
  const refused = await rejectionOf(holdfast.lock('door').acquire())
  expect(refused).toMatchObject({ reason: 'not-ready', transient: false })
  expect(String(refused)).toContain('maxSessionTimeout')
})

test.each<[string, object]>([
  ['no server', { servers: [] }],
  ['a root that ends with a slash', { root: '/a/' }],
  ['a root of the server’s', { root: '/zookeeper' }],
  ['a root with an escape', { root: '/a%2F' }],
  ['a root without a slash', { root: 'a' }],
  ['a user with a colon', { credentials: { user: 'a:b', password: 'c' } }],
  ['no password', { credentials: { user: 'a' } }],
  ['what nobody knows', { server: 'zoo' }],
  ['what is nobody’s', { acl: 'creator' }],
  ['no TLS options', { tls: 1 }],
])('bad options are refused at once: %s', (_, bad) => {
  const options: ZooKeeperOptions = { servers: 'zoo:2181' }
  expect(() => zookeeper({ ...options, ...bad })).toThrow(InvalidArgumentError)
})
