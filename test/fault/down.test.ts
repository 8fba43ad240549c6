import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, LockTimeoutError, StoreError, type WaitingEvent } from '../../src/index.js'
import { standIn } from '../servers/stand-in.js'
import { duringEach } from '../setup/during.js'

/** A server that accepts connections and never says a word. */
const silent = duringEach(() => standIn())

describe.each([
  {
    where: 'a port that refuses',
    options: () => ({ port: 1 }),
    reason: 'unreachable',
    says: /could not be reached: connect ECONNREFUSED/,
  },
  {
    where: 'a port that is silent',
    options: () => ({ port: silent.port }),
    reason: 'timeout',
    says: /The server did not answer/,
  },
  {
    where: 'a wrong host name',
    options: () => ({ host: 'no-such-host.invalid' }),
    reason: 'unreachable',
    says: /could not be reached: getaddrinfo/,
  },
] as const)('H6: a server that is down ($where)', ({ options, reason, says }) => {
  let client: Redis
  let holdfast: Holdfast
  let errors: unknown[]
  beforeEach(() => {
    client = new Redis({ ...options(), lazyConnect: true })
    holdfast = new Holdfast(client)
    errors = []
    holdfast.on('error', (error) => errors.push(error))
  })
  afterEach(async () => {
    await holdfast.close()
    client.disconnect()
    // The lock was never held: there is no failed release to tell of.
    expect(errors).toEqual([])
  })

  test('the first sign comes long before the call gives up, and says why', async () => {
    const leaves = new AbortController()
    const told = new Promise<WaitingEvent>((resolve) => holdfast.once('waiting', resolve))
    const call = holdfast.lock('down').withLock({ signal: leaves.signal }, () => 0)
    const settled = call.then(
      () => 'over',
      () => 'over',
    )
    const first = await Promise.race([told, settled])
    expect(first).toMatchObject({ name: 'down', holder: undefined, cause: expect.any(StoreError) })
    expect(first).toMatchObject({ cause: { reason, lockName: 'down' } })
    leaves.abort()
    await settled
  })

  test('a time-out says that the server did not answer, and does not advise to wait longer', async () => {
    const error = await rejectionOf(holdfast.lock('down').withLock({ waitMs: 2_000 }, () => 0))
    expect(error).toBeInstanceOf(LockTimeoutError)
    expect(error).toMatchObject({ message: expect.stringMatching(says), cause: { reason } })
    expect(error).toMatchObject({ message: expect.not.stringMatching(/wait longer|held by/i) })
  })
})
