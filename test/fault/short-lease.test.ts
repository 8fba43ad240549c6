/** A lease that is over before its grant has come is of no use to its caller, and must be in nobody's way. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, type HoldfastOptions, type Lock, LockTimeoutError } from '../../src/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { Wire } from '../wire/wire.js'

const ROUND_TRIP_MS = 60
const TOO_SHORT_MS = 40
const options: HoldfastOptions = { storeTimeoutMs: 1_500 }

const kinds: ReadonlyArray<readonly [kind: string, of: (holdfast: Holdfast) => Lock]> = [
  ['lock', (holdfast) => holdfast.lock('distant')],
  ['fencedLock', (holdfast) => holdfast.fencedLock('distant')],
  ['fairLock', (holdfast) => holdfast.fairLock('distant')],
  ['spinLock', (holdfast) => holdfast.spinLock('distant')],
  ['writeLock', (holdfast) => holdfast.readWriteLock('distant').writeLock()],
  ['readLock', (holdfast) => holdfast.readWriteLock('distant').readLock()],
]

describe.each([
  { where: 'one server', count: 1 },
  { where: 'quorum', count: 3 },
])('chaos 6050: a lease too short for the way to the store ($where)', ({ count }) => {
  const servers: Server[] = []
  const distances: Wire[] = []
  let holdfast: Holdfast

  beforeEach(async () => {
    for (let index = 0; index < count; index += 1) {
      const server = await bringServer()
      servers.push(server)
      const distance = await Wire.before(server)
      distance.delayMs = ROUND_TRIP_MS / 2
      distances.push(distance)
    }
    const clients = distances.map(({ host, port }) => standaloneClient({ host, port }))
    const [first] = clients
    if (!first) throw new Error('no server')
    holdfast = new Holdfast(count === 1 ? first : quorum(clients), options)
    await holdfast.lock('distant').withLock(() => undefined)
  })

  afterEach(async () => {
    await holdfast.close()
    for (const distance of distances.splice(0)) distance.stop()
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  test.each(count === 1 ? kinds : kinds.slice(0, 1))(
    '%s: calls behind it get in, while it goes on trying',
    async (_, of) => {
      const lock = of(holdfast)
      let settled = false
      const short = lock.acquire({ leaseMs: TOO_SHORT_MS }).catch((error: unknown) => {
        settled = true
        return error
      })
      for (const options of [{}, { waitMs: 10_000 }, {}]) {
        const hold = await lock.acquire(options)
        expect(settled).toBe(false)
        await hold.release()
      }
      expect(await short).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout' })
      await eventually(async () => !(await lock.isLocked()))
    },
  )

  test('many of them give up one beside the other', async () => {
    const lock = holdfast.lock('distant')
    const startedAt = performance.now()
    const all = Array.from({ length: 6 }, () => lock.acquire({ leaseMs: TOO_SHORT_MS }))
    for (const outcome of await Promise.allSettled(all))
      expect(outcome).toMatchObject({ reason: { code: 'STORE_ERROR', reason: 'timeout' } })
    // One after the other they would take six times as long as one may.
    expect(performance.now() - startedAt).toBeLessThan(3 * 1_500)
  })

  test.skipIf(count > 1)(
    'chaos 30081: a multi-lock whose first members end before the last is held gives up',
    async () => {
      const lock = holdfast.multiLock([holdfast.fairLock('first'), holdfast.fairLock('second')])
      await expect(lock.acquire({ leaseMs: ROUND_TRIP_MS + 10 })).rejects.toMatchObject({
        code: 'STORE_ERROR',
        reason: 'timeout',
      })
      expect(await lock.isLocked()).toBe(false)
    },
  )

  test.skipIf(count > 1)(
    'chaos 5038: a multi-lock’s first members are kept from ending over a distance of two fifths of the lease',
    async () => {
      const names = ['first', 'distant', 'third'] as const
      const lock = holdfast.multiLock(names.map((name, at) => holdfast[at === 1 ? 'lock' : 'fairLock'](name)))
      // No longer than that: an answer comes within the time of a command.
      const leaseMs = Math.min(lasting(1_000), 4_000)
      for (const distance of distances) distance.delayMs = leaseMs / 5
      const hold = await lock.acquire({ leaseMs, waitMs: 8 * leaseMs })
      expect(hold.remainingMs()).toBeGreaterThan(0)
      await hold.release()
    },
  )

  test('a single attempt says so, and one that waits for less gives it as the cause', async () => {
    const lock = holdfast.lock('distant')
    const tooShort = { code: 'STORE_ERROR', reason: 'timeout' }
    await expect(lock.tryAcquire({ leaseMs: TOO_SHORT_MS })).rejects.toMatchObject(tooShort)
    const error = await rejectionOf(lock.acquire({ leaseMs: TOO_SHORT_MS, waitMs: 500 }))
    expect(error).toBeInstanceOf(LockTimeoutError)
    expect(error).toMatchObject({ cause: tooShort })
  })
})
