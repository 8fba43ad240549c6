import { describe, expect, test } from 'vitest'
import { LockLostError, StoreError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Assembly, NAME } from './assembly.js'

const assembly = duringEach(() => new Assembly(3))

describe('renewals', () => {
  /** A hold that the watchdog renews, and what its client is told: of a loss, for which reason. */
  async function watched() {
    const holdfast = assembly.holdfast({ watchdogMs: 3_000 })
    const told: string[] = []
    holdfast.on('suspended', () => told.push('suspended'))
    holdfast.on('lost', ({ reason }) => told.push(reason))
    return { hold: await holdfast.lock(NAME).acquire(), told }
  }

  test.each(['gone', 'mute', 'frozen'] as const)('survive one server that is %s', async (conduct) => {
    const { hold, told } = await watched()
    assembly.server(1).conduct = conduct
    await assembly.clock.advance(30_000)
    hold.assertHeld()
    expect(told).toEqual([])
    assembly.server(1).recover()
    await assembly.outcome(hold.release())
    await assembly.nothingLeft()
  })

  test('L4: two of three away: suspended, and lost at the deadline of the last that a majority has renewed', async () => {
    const { hold, told } = await watched()
    for (const server of assembly.servers.slice(1)) server.conduct = 'gone'
    await assembly.clock.advance(2_900)
    expect(told).toEqual(['suspended'])
    expect(hold.signal.aborted).toBe(false)
    await assembly.clock.advance(100)
    expect(told).toEqual(['suspended', 'lease-expired'])
    expect(hold.signal.reason).toBeInstanceOf(LockLostError)
    assembly.recover()
    await assembly.clock.advance(3_000)
    await assembly.nothingLeft()
  })

  test('L4: a majority that says "not yours" is loss at once; a minority is not', async () => {
    const { told } = await watched()
    await assembly.single(0).forceUnlock()
    await assembly.clock.advance(2_000)
    expect(told).toEqual([])
    await assembly.single(1).forceUnlock()
    await assembly.clock.advance(1_000)
    expect(told).toEqual(['not-in-store'])
  })

  test('redis-semaphore#175: a renewal brings no vote back', async () => {
    await assembly.lock({ watchdogMs: 3_000 }).acquire()
    await assembly.single(0).forceUnlock()
    await assembly.clock.advance(5_000)
    expect((await assembly.votes())[0]).toBeUndefined()
  })
})

describe('releases', () => {
  test.each(['gone', 'mute', 'frozen'] as const)(
    'reach a server that was %s for a moment, when it is back',
    async (conduct) => {
      const hold = await assembly.lock().acquire({ leaseMs: 60_000 })
      assembly.server(2).conduct = conduct
      await assembly.outcome(hold.release())
      await assembly.clock.advance(5_000)
      assembly.server(2).recover()
      await assembly.clock.advance(1_000)
      await assembly.nothingLeft()
    },
  )

  test('many that a server has missed cost one command now and then while it is away, and all arrive', async () => {
    const holdfast = assembly.holdfast()
    const names = Array.from({ length: 50 }, (_, index) => `${NAME}:${index}`)
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire({ leaseMs: 60_000 })))
    assembly.server(2).conduct = 'gone'
    await Promise.all(holds.map((hold) => hold.release()))
    await assembly.clock.advance(1_000)
    const sent = assembly.server(2).count('abandon')
    await assembly.clock.advance(10_000)
    // One at a time, at most two a second but for the spread.
    expect(assembly.server(2).count('abandon') - sent).toBeLessThanOrEqual(41)
    assembly.server(2).recover()
    await assembly.clock.advance(1_000)
    for (const name of names) await assembly.nothingLeft(name)
    expect(assembly.errors).toEqual([])
  })

  test('X1: one whose answers were lost by a majority is repeated and counts once', async () => {
    const hold = await assembly.lock().acquire()
    for (const server of assembly.servers.slice(1)) server.conduct = 'mute'
    const releasing = hold.release()
    await assembly.clock.advance(50)
    assembly.recover()
    await assembly.outcome(releasing)
    await assembly.nothingLeft()
  })

  test('what one of three servers has answered is no release yet', async () => {
    const hold = await assembly.lock().acquire({ leaseMs: 60_000 })
    for (const server of assembly.servers.slice(1)) server.conduct = 'frozen'
    let released = false
    const releasing = hold.release().then(() => (released = true))
    await assembly.clock.advance(100)
    expect(released).toBe(false)
    assembly.recover()
    await assembly.outcome(releasing)
  })

  test('who waits is woken without waiting for a lease, though one server says nothing', async () => {
    assembly.server(0).conduct = 'gone'
    const hold = await assembly.held({ leaseMs: 600_000 })
    const waiting = assembly.lock().acquire()
    await assembly.clock.advance(1_000)
    const releasedAt = assembly.clock.now()
    await hold.release()
    const next = await assembly.outcome(waiting)
    expect(assembly.clock.now() - releasedAt).toBeLessThan(1_000)
    await next.release()
  })

  test('close ends while a server is away with releases it has missed', async () => {
    const holdfast = assembly.holdfast()
    const hold = await holdfast.lock(NAME).acquire({ leaseMs: 3_600_000 })
    assembly.server(2).conduct = 'gone'
    await hold.release()
    const startedAt = assembly.clock.now()
    await assembly.outcome(holdfast.close())
    expect(assembly.clock.now() - startedAt).toBeLessThan(1_000)
  })
})

describe('commands that a server carries out late (a script it did not know is sent twice)', () => {
  test('a release does not overtake the acquire: no vote stays', async () => {
    assembly.server(2).delayMs = 50
    const hold = await assembly.held({ leaseMs: 60_000 })
    assembly.server(2).delayMs = 0
    await hold.release()
    await assembly.nothingLeft()
  })

  test('nor a hand-over the one before', async () => {
    const lock = assembly.lock({ handOverSliceMs: Number.POSITIVE_INFINITY })
    const hold = await lock.acquire({ leaseMs: 60_000 })
    const waits = [1, 2, 3].map(() => lock.acquire({ leaseMs: 60_000 }))
    await assembly.clock.advance(10)
    for (const [index, delayMs] of [50, 30, 10].entries()) {
      assembly.server(2).delayMs = delayMs
      await assembly.outcome(index === 0 ? hold.release() : Promise.resolve())
      await (await assembly.outcome(waits[index] ?? Promise.reject(new Error('no wait')))).release()
    }
    await assembly.nothingLeft()
  })
})

describe('reentry and questions', () => {
  test('O1: a nested hold counts on a majority; the outer one is left when it ends', async () => {
    const lock = assembly.lock()
    await lock.withLock(async () => {
      assembly.server(0).conduct = 'gone'
      await lock.withLock(async () => expect(await lock.holdCount()).toBe(2))
      expect(await lock.holdCount()).toBe(1)
      assembly.server(0).recover()
    })
    await assembly.nothingLeft()
  })

  test('what a minority says is no lock, and what nobody can know is an error', async () => {
    await assembly.single(0).acquire({ leaseMs: 60_000 })
    const lock = assembly.lock()
    expect(await lock.isLocked()).toBe(false)
    // The silent one may be the second that the holder has.
    assembly.server(2).conduct = 'gone'
    await expect(lock.isLocked()).rejects.toBeInstanceOf(StoreError)
    await assembly.single(1, 'other').acquire()
    expect(await lock.remainingMs().catch(() => 'unknown')).toBe('unknown')
  })

  test('list: every lock of a majority, once, though a server is away', async () => {
    const holdfast = assembly.holdfast()
    await holdfast.lock('one').acquire()
    await holdfast.lock('two').acquire()
    await assembly.single(0, 'stray').acquire()
    const names: string[] = []
    for await (const { name } of holdfast.list()) names.push(name)
    expect(names.sort()).toEqual(['one', 'two'])
  })
})
