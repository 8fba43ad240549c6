/** TLS, users and their rights: what is asked for is enough, what is refused is said, and no secret is. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Holdfast, InvalidArgumentError, StoreError } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { certificate, trust } from '../setup/certificate.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, asRoot, holdfastOn, least, serverWithUsers } from './scene.js'

type Options = Parameters<typeof etcd>[0]

const holdfast = (options: Options): Holdfast => holdfastOn(options, { storeTimeoutMs: 1_000 })

const works = (options: Options): Promise<boolean> =>
  holdfast(options)
    .lock(anyLock().name)
    .withLock(() => true)

async function failure(options: Options): Promise<StoreError> {
  const error = await rejectionOf(works(options))
  return error instanceof StoreError ? error : expect.unreachable(String(error))
}

describe('TLS', () => {
  const server = duringAll(() => EtcdServer.start({ tls: certificate }))
  const asking = duringAll(() => EtcdServer.start({ tls: { ...certificate, asksForOne: true } }))

  test.each([
    ['with the authority of the server’s certificate it connects', () => [server.url, {}] as const],
    ['with tls, a host without a scheme is one with TLS', () => [`127.0.0.1:${server.port}`, {}] as const],
    ['a server that asks for a certificate gets one', () => [asking.url, certificate] as const],
  ])('C1: %s', async (_, at) => {
    const [hosts, shown] = at()
    expect(await works({ hosts, tls: { ...shown, ca: certificate.cert } })).toBe(true)
  })

  test('a server with another certificate is refused, and the error says so', async () => {
    const error = await failure({ hosts: server.url, tls: { ca: trust.wrong.ca } })
    expect(error).toMatchObject({ reason: 'unreachable', transient: false })
    expect(error.message).toContain('tls: { ca }')
  })

  test('who shows no certificate where one is asked for learns what is missing', async () => {
    const error = await failure({ hosts: asking.url, tls: { ca: certificate.cert } })
    expect(error.message).not.toContain('PRIVATE KEY')
    expect(error.reason).toBe('unreachable')
  })

  test('W6: http:// to a server with TLS is a StoreError in time', async () => {
    expect((await failure({ hosts: `http://127.0.0.1:${server.port}` })).reason).toBe('unreachable')
  })
})

describe('users', () => {
  const server = duringAll(() => serverWithUsers({ args: ['--auth-token-ttl', '1'] }))

  test('a user that may read and write the keys with the prefix is enough for all that a lock does', async () => {
    const client = holdfast({ hosts: server.url, credentials: least })
    const other = holdfast({ hosts: server.url, credentials: least })
    const { name } = anyLock()
    const hold = await client.lock(name).acquire({ leaseMs: 60_000 })
    const waiting = other.lock(name).acquire()
    await eventually(async () => (await client.lock(name).countWaitingClients()) === 1)
    const names: string[] = []
    for await (const state of client.list()) names.push(state.name)
    expect(names).toContain(name)
    await hold.release()
    const next = await waiting
    expect(await client.lock(name).forceUnlock()).toBe(true)
    await eventually(() => next.signal.aborted)
    const fenced = await client.fencedLock(name).acquire()
    expect(fenced.fence).toBeGreaterThan(0n)
    await fenced.release()
  })

  test('a prefix for which it has no rights is a permission error that says what to grant', async () => {
    const error = await failure({ hosts: server.url, credentials: least, prefix: 'other/' })
    expect(error).toMatchObject({ reason: 'permission', transient: false })
    expect(error.message).toContain('prefix')
  })

  test('a wrong password and none at all are permission errors, which do not repeat it', async () => {
    for (const credentials of [{ user: 'least', password: 'guessed wrongly' }, undefined]) {
      const error = await failure({ hosts: server.url, ...(credentials && { credentials }) })
      expect(error).toMatchObject({ reason: 'permission', transient: false })
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('guessed wrongly')
    }
  })

  test('a token that the server has forgotten is renewed, for commands and for watches', async () => {
    const client = holdfast({ hosts: server.url, credentials: least })
    const other = holdfast({ hosts: server.url, credentials: least })
    const { name } = anyLock()
    await (await client.lock(name).acquire()).release()
    await (await other.lock(name).acquire()).release()
    // Tokens of before count no more.
    await server.ctl(...asRoot, 'role', 'add', `changes-${name.length}`)
    await server.ctl(...asRoot, 'auth', 'disable')
    await server.ctl(...asRoot, 'auth', 'enable')
    const hold = await client.lock(name).acquire()
    const waiting = other.lock(name).acquire()
    await eventually(async () => (await client.lock(name).countWaitingClients()) === 1)
    await hold.release()
    await (await waiting).release()
  })

  test('a user that is refused for the time being is not asked for where there are no users', async () => {
    const open = await EtcdServer.start()
    onTestFinished(() => open.stop())
    expect(await works({ hosts: open.url, credentials: least })).toBe(true)
  })
})

test.each([
  [{ hosts: [] }],
  [{ hosts: 'ftp://a' }],
  [{ hosts: 'http://user:secret@host:2379' }],
  [{ hosts: 'http://host/path' }],
  [{ hosts: 'host', prefix: '\ud800' }],
  [{ hosts: 'host', credentials: { user: '', password: 'secret' } }],
  [{ hosts: 'host', other: 1 }],
])('%j is refused before anything is sent, and without repeating it', (options) => {
  const make = (): unknown => etcd(options)
  expect(make).toThrow(InvalidArgumentError)
  expect(make).not.toThrow(/secret/)
})
