/** What others' locks did when the server hung, failed or came back. On a server of its own. */
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LockLostError, LockTimeoutError, StoreError } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import { PrivateServer } from '../redisson/private-server.js'
import { eventually } from '../setup/eventually.js'

let place: PrivateServer
let round = 0
let name = ''

beforeAll(async () => {
  place = await PrivateServer.bring()
})
beforeEach(() => {
  round += 1
  name = `outage:${round}`
})
afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})
afterAll(() => place.stop())

describe('renewal', () => {
  test('redisson#4698, redisson#3854: a failed renewal is told as suspended, the end of the lease as lost', async () => {
    const holdfast = place.holdfast({ watchdogMs: 900, commandTimeoutMs: 100 })
    const told: string[] = []
    holdfast.on('suspended', ({ remainingMs }) => told.push(remainingMs > 0 ? 'suspended' : 'too late'))
    holdfast.on('lost', ({ reason }) => told.push(reason))
    const hold = await holdfast.lock(name).acquire()
    await place.server.pause()
    await eventually(() => hold.signal.aborted)
    expect(told).toEqual(['suspended', 'lease-expired'])
    expect(hold.signal.reason).toBeInstanceOf(LockLostError)
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    await place.server.resume()
    await expect(hold.release()).rejects.toThrow(LockLostError)
  })

  test('redisson#775, #2515, #3194, redlock-universal: one renewal that fails is tried again, and nothing is lost', async () => {
    const holdfast = place.holdfast({ watchdogMs: 3_000, commandTimeoutMs: 150 })
    const told: string[] = []
    let renewals = 0
    holdfast.on('lost', () => told.push('lost'))
    holdfast.on('suspended', () => told.push('suspended'))
    holdfast.on('renewed', () => {
      renewals += 1
    })
    const hold = await holdfast.lock(name).acquire()
    await place.server.pause()
    await eventually(() => told.length > 0)
    await place.server.resume()
    // Renewed within the lease, and after that as regularly as before.
    await eventually(() => renewals >= 1)
    hold.assertHeld()
    await eventually(() => renewals >= 3)
    expect(told).not.toContain('lost')
    await hold.release()
  })

  test('redlock-universal#77: no breaker stays open: the first call after an outage works', async () => {
    const holdfast = place.holdfast({ commandTimeoutMs: 100, storeTimeoutMs: 200 })
    const lock = holdfast.lock(name)
    await lock.withLock(() => undefined)
    await place.server.pause()
    for (let failure = 0; failure < 6; failure += 1) {
      await expect(lock.acquire({ waitMs: 50 })).rejects.toThrow(LockTimeoutError)
    }
    await expect(lock.tryAcquire()).rejects.toThrow(StoreError)
    await place.server.resume()
    await lock.withLock({ waitMs: 5_000 }, (hold) => hold.assertHeld())
    await eventually(() => holdfast.census.orphans === 0)
    expect(await place.ask('EXISTS', name)).toBe(0)
  })

  test('redis-semaphore#199: failing renewals and a lost lock end no process', async () => {
    const { host, port } = place.server
    const child = Forked.start(new URL('./survivor.fixture.ts', import.meta.url), {
      server: { host, port },
      name,
    })
    expect(await child.told()).toBe('held')
    await place.server.pause()
    expect(await child.told()).toBe('lost')
    await place.server.resume()
    child.send('go on')
    expect(await child.told()).toBe('works again')
    expect(await child.ended()).toBe(0)
    expect(child.errors).toBe('')
  }, 30_000)
})

describe('commands that may have been carried out', () => {
  test('ioredis: a server that hangs with many commands under way prints no warning of leaking listeners', async () => {
    const warnings: string[] = []
    const onWarning = ({ name: kind }: Error): number => warnings.push(kind)
    process.on('warning', onWarning)
    try {
      const holdfast = place.holdfast({ commandTimeoutMs: 100 })
      const holds = await Promise.all(
        Array.from({ length: 30 }, (_, index) => holdfast.lock(`${name}:${index}`).acquire()),
      )
      await place.server.pause()
      const releases = Promise.all(
        holds.map(async (hold, index) => {
          // Sent one after the other, so that their deadlines pass one after the other too.
          await pauseMs(index * 5)
          await hold.release()
        }),
      )
      await pauseMs(500)
      await place.server.resume()
      await releases
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', onWarning)
    }
  })

  // Dropped replies are the subject of test/fault. Here the server gets the same request twice without any help: it hangs for
  // longer than the command timeout, and then finds both the first delivery and the repeated one before it.
  test('redisson#7367, #4109, #4178: an acquire that the server got twice counts once', async () => {
    const holdfast = place.holdfast({ commandTimeoutMs: 100 })
    const lock = holdfast.lock(name)
    await holdfast.lock('warm').withLock(() => undefined)
    const before = await place.calls('evalsha')
    await place.server.pause()
    const acquiring = lock.acquire({ waitMs: 20_000 })
    await pauseMs(400)
    await place.server.resume()
    const hold = await acquiring
    expect(await place.calls('evalsha')).toBeGreaterThan(before + 1)
    expect(await place.ask('HGET', name, hold.owner)).toBe('1')
    await hold.release()
    expect(await place.ask('EXISTS', name)).toBe(0)
  })

  test('redisson#6651, #4871, #6532: a release that the server got twice is no false loss', async () => {
    const holdfast = place.holdfast({ commandTimeoutMs: 100 })
    const hold = await holdfast.lock(name).acquire()
    const before = await place.calls('evalsha')
    await place.server.pause()
    const releasing = hold.release()
    await pauseMs(400)
    await place.server.resume()
    await releasing
    expect(await place.calls('evalsha')).toBeGreaterThan(before + 1)
    expect(await place.ask('EXISTS', name)).toBe(0)
  })

  test('simple-redis-mutex, redisson#2903: an attempt under way when the time is up leaves no lock', async () => {
    const holdfast = place.holdfast({ commandTimeoutMs: 5_000 })
    const lock = holdfast.lock(name)
    await holdfast.lock('warm').withLock(() => undefined)
    const before = await place.calls('evalsha')
    await place.server.pause()
    await expect(lock.acquire({ waitMs: 120 })).rejects.toThrow(LockTimeoutError)
    expect(holdfast.census.orphans).toBe(1)
    await place.server.resume()
    await eventually(() => holdfast.census.orphans === 0)
    // It was taken after all, and given back.
    expect(await place.calls('evalsha')).toBe(before + 2)
    expect(await place.ask('EXISTS', name)).toBe(0)
  })
})

describe('waits', () => {
  test('redisson#2801, redisson#3121: waitMs holds while the server hangs', async () => {
    const holdfast = place.holdfast()
    await holdfast.lock('warm').withLock(() => undefined)
    await place.server.pause()
    const startedAt = performance.now()
    await expect(holdfast.lock(name).acquire({ waitMs: 300 })).rejects.toSatisfy(
      (error) => error instanceof LockTimeoutError && error.cause instanceof StoreError,
    )
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    await place.server.resume()
    await eventually(() => holdfast.census.orphans === 0)
  })

  test('redisson#2790, redisson#3859: waitMs holds while the server is down, and a call without one ends too', async () => {
    const down = await PrivateServer.bring()
    try {
      const holdfast = down.holdfast({ storeTimeoutMs: 500 })
      await down.server.kill()
      const startedAt = performance.now()
      await expect(holdfast.lock(name).acquire({ waitMs: 300 })).rejects.toThrow(LockTimeoutError)
      expect(performance.now() - startedAt).toBeLessThan(1_500)
      await expect(holdfast.lock(name).acquire()).rejects.toThrow(StoreError)
      expect(performance.now() - startedAt).toBeLessThan(4_000)
      await holdfast.close()
    } finally {
      await down.stop()
    }
  })

  test('redisson#6026, redisson#3739: subscriptions come back after a restart, and nobody sleeps on', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    // A lease far beyond the test: only an announcement, or a waking after the restart, can end the waits.
    const hold = await holding.lock(name).acquire({ leaseMs: 600_000 })
    const waits = Array.from({ length: 3 }, () => waiting.lock(name).withLock(() => 'in'))
    await eventually(() => holding.lock(name).countWaitingClients())
    await place.server.restart({ keepData: true })
    await eventually(
      async () =>
        Number(
          await holding
            .lock(name)
            .countWaitingClients()
            .catch(() => 0),
        ) > 0,
    )
    await hold.release()
    expect(await Promise.all(waits)).toEqual(['in', 'in', 'in'])
  })

  test('redisson#3739: a lock that went with the data of its server is there for whoever waits', async () => {
    const holding = place.holdfast()
    const waiting = place.holdfast()
    await holding.lock(name).acquire({ leaseMs: 600_000 })
    const wait = waiting.lock(name).withLock(() => 'in')
    await eventually(() => holding.lock(name).countWaitingClients())
    await place.server.restart({ keepData: false })
    expect(await wait).toBe('in')
  })
})

/** The time is the fault here: how long the server hangs. */
async function pauseMs(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
