/** As whom, and how safely, Holdfast comes to the server. */

import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Lock, StoreError } from '../../src/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { type StandIn, standIn } from '../servers/stand-in.js'
import { certificate, trust } from '../setup/certificate.js'
import { open } from './scene.js'

async function start(order?: Parameters<typeof MemcachedServer.start>[0]): Promise<MemcachedServer> {
  const server = await MemcachedServer.start(order)
  onTestFinished(() => server.stop())
  return server
}

/** A lock on that server. */
function lockAt(server: Pick<StandIn, 'host' | 'port'>, terms: Parameters<typeof open>[2] = {}): Lock {
  return open(server, { commandTimeoutMs: 1_000 }, terms).lock(randomUUID())
}

async function refusalOf(lock: Lock): Promise<StoreError> {
  const error = await rejectionOf(lock.tryAcquire())
  return error instanceof StoreError ? error : expect.unreachable(String(error))
}

const works = (lock: Lock): Promise<boolean> => lock.withLock(() => true)

test('TLS: with the authority that signed it, and with no other', async () => {
  const server = await start({ tls: certificate })
  const { ca } = trust.right
  expect(await works(lockAt(server, { tls: { ca } }))).toBe(true)
  const refusal = await refusalOf(lockAt(server, { tls: true }))
  expect(refusal).toMatchObject({ reason: 'unreachable', transient: false })
  expect(refusal.message).toContain('pass the CA that signed it')
  const elsewhere = await refusalOf(lockAt(server, { tls: { ca, servername: 'elsewhere.test' } }))
  expect(elsewhere).toMatchObject({ reason: 'unreachable', transient: false })
})

test('one side speaks TLS and the other does not: an error in time', async () => {
  const [plain, secure] = [await start(), await start({ tls: certificate })]
  await refusalOf(lockAt(secure))
  await refusalOf(lockAt(plain, { tls: { ca: trust.right.ca } }))
})

test('a user and a password: those of its file, and no others', async () => {
  const server = await start({ users: ['app:first', 'other:second'] })
  const credentials = { username: 'app', password: 'first' }
  expect(await works(lockAt(server, { credentials }))).toBe(true)
  expect(await works(lockAt(server, { credentials: async () => credentials }))).toBe(true)
  for (const wrong of [
    undefined,
    { username: 'app', password: 'second' },
    { username: 'x', password: 'first' },
  ]) {
    const refusal = await refusalOf(lockAt(server, { credentials: wrong }))
    expect(refusal).toMatchObject({ reason: 'permission', transient: false })
    expect(`${refusal.message} ${String(refusal.cause)}`).not.toMatch(/first|second/)
  }
})

test('a function that gives the password is asked for each connection, and may fail or hang', async () => {
  const server = await start({ users: ['app:first'] })
  let asked = 0
  const lock = lockAt(server, {
    credentials: () => {
      asked += 1
      return { username: 'app', password: 'first' }
    },
  })
  await works(lock)
  await works(lock)
  expect(asked).toBe(1)
  await server.restart()
  await works(lock)
  expect(asked).toBeGreaterThan(1)
  const cause = new Error('the vault is closed')
  expect(await refusalOf(lockAt(server, { credentials: () => Promise.reject(cause) }))).toMatchObject({
    cause,
  })
  const never = new Promise<never>(() => undefined)
  expect(await refusalOf(lockAt(server, { credentials: () => never }))).toMatchObject({ reason: 'timeout' })
})

test.each([
  ['what knows no meta commands', 'ERROR\r\n', { reason: 'unknown', transient: false }],
  ['another server', '-ERR unknown command\r\n', { reason: 'unreachable', transient: false }],
  ['what sends nonsense', '\0\xff\n\n', { reason: 'unreachable', transient: false }],
  ['what is full', 'ERROR Too many open connections\r\n', { reason: 'not-ready', transient: true }],
  ['what says nothing', '', { reason: 'timeout', transient: true }],
])('%s is told as what it is', async (_, answer, expected) => {
  const other = await standIn((socket) => socket.on('data', () => socket.write(answer, 'latin1')))
  onTestFinished(() => other.stop())
  expect(await refusalOf(lockAt(other))).toMatchObject(expected)
})
