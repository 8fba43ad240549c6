import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Assembly, NAME } from './assembly.js'

const GUARD_MS = 60_000

/** Of three servers the last does not vote: a single vote that nobody gives back keeps everybody out until its lease ends. */
describe('W7: the vote that a lost lock still has on one server is given back', () => {
  const assembly = duringEach(() => new Assembly(3))

  const options = { watchdogMs: 30_000 }
  const guarded = { restartGuardMs: GUARD_MS }

  /** Held on the first two servers, the third was restarted and lost its data. */
  const heldByTwo = async (leaseMs?: number) => {
    const holdfast = assembly.holdfast(options, guarded)
    const lock = holdfast.lock(NAME)
    await assembly.outcome(lock.acquire().then((hold) => hold.release()))
    await assembly.clock.advance(1_000)
    assembly.server(2).restart('another')
    const owner = holdfast.owner()
    const hold = await assembly.outcome(lock.acquire({ owner, ...(leaseMs !== undefined && { leaseMs }) }))
    await assembly.single(2).forceUnlock()
    return { lock, owner, hold }
  }

  const isFreeSoon = async (): Promise<void> => {
    const waiting = assembly.lock(options, guarded).acquire()
    const since = assembly.clock.now()
    const hold = await assembly.outcome(waiting)
    expect(assembly.clock.now() - since).toBeLessThan(2_000)
    await hold.release()
  }

  test('after a nested acquisition that a majority refused', async () => {
    const { lock, owner } = await heldByTwo()
    await assembly.single(1).forceUnlock()
    await assembly.outcome(lock.tryAcquire({ owner }).then((again) => again?.release()))
    await isFreeSoon()
  })

  test('after a nested acquisition that came when the lease of the section around it had ended on the others', async () => {
    const { lock, owner, hold } = await heldByTwo(500)
    await assembly.clock.advance(400)
    for (const server of assembly.servers) server.delayMs = 60
    assembly.server(1).delayMs = 160
    const nested = lock.acquire({ owner, waitMs: 400 }).catch(() => undefined)
    await assembly.clock.advance(100)
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    await assembly.outcome(nested)
    for (const server of assembly.servers) server.delayMs = 0
    await isFreeSoon()
  })

  test('after a renewal that a majority refused', async () => {
    await heldByTwo()
    await assembly.single(1).forceUnlock()
    await assembly.clock.advance(10_000)
    await isFreeSoon()
  })

  test('after renewals that one server carried out while the others were away', async () => {
    await heldByTwo()
    for (const server of assembly.servers.slice(1)) server.conduct = 'gone'
    await assembly.clock.advance(30_000)
    assembly.server(1).recover()
    await isFreeSoon()
  })

  test('after a release of one of several holds that a majority refused', async () => {
    const { lock, owner } = await heldByTwo()
    const inner = await assembly.outcome(lock.acquire({ owner }))
    await assembly.single(1).forceUnlock()
    await assembly.single(2).forceUnlock()
    await expect(assembly.outcome(inner.release())).rejects.toThrow(LockLostError)
    await isFreeSoon()
  })
})
