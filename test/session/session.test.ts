/** Locks that last as long as their client's session: what is told when it ends, and what it costs to keep and to wait. */
import { beforeEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Latch } from '../../src/conformance/latch.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { HoldfastOptions } from '../../src/index.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import { duringEach } from '../setup/during.js'
import { type Client, Fleet } from './fleet.js'

/** As the plain lock has it. */
const named = (name: string): LockName => ({ keyspace: 'lock', name })

let clock: Fleet['clock']
let ensemble: Fleet['ensemble']

const fleet = duringEach(() => new Fleet())
beforeEach(() => {
  clock = fleet.clock
  ensemble = fleet.ensemble
})

const client = (options?: HoldfastOptions): Client => fleet.client(options)
const settled = (): Promise<void> => fleet.settled()

describe('a session', () => {
  test('S1: its end loses all its locks, each told once, before anybody else sees one free', async () => {
    const [{ holdfast, link }, other] = [client(), client()]
    const holds = [
      await holdfast.lock('plain').acquire(),
      await holdfast.fairLock('fair').acquire(),
      await holdfast.fencedLock('fenced').acquire(),
    ]
    const [lost, suspended] = [journalOf(holdfast, 'lost'), journalOf(holdfast, 'suspended')]
    const freeBeforeTold: string[] = []
    for (const hold of holds) {
      void other.holdfast
        .lock(hold.name)
        .acquire()
        .then((mine) => {
          if (!hold.signal.aborted) freeBeforeTold.push(hold.name)
          return mine.release()
        })
    }
    await settled()
    link.cut = true
    await clock.advance(30_000)
    expect(freeBeforeTold).toEqual([])
    expect(lost.map(({ name }) => name).sort()).toEqual(['fair', 'fenced', 'plain'])
    expect(new Set(suspended.map(({ name }) => name)).size).toBe(3)
    for (const hold of holds) expect(await rejectionOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' })
    for (const hold of holds) expect(await other.holdfast.lock(hold.name).isLocked()).toBe(false)
  })

  test('that the server has ended is known with the next keep-alive, long before the leases by the clock', async () => {
    const { holdfast } = client({ watchdogMs: 90_000 })
    const lost = journalOf(holdfast, 'lost')
    await holdfast.lock('one').acquire()
    await holdfast.lock('two').acquire()
    ensemble.end('1')
    await settled()
    expect(lost.map(({ name }) => name).sort()).toEqual(['one', 'two'])
  })

  test('S2, S7: that its client gives up is ended at a server that has counted it anew, as soon as that is reached', async () => {
    const [{ holdfast, link }, other] = [client(), client()]
    const hold = await holdfast.lock('lock').acquire()
    const waiting = other.holdfast.lock('lock').acquire()
    link.cut = true
    await clock.advance(9_000)
    // As a new leader does.
    expect(ensemble.keepAlive('1')).toBe(true)
    await clock.advance(2_000)
    expect(hold.signal.aborted).toBe(true)
    expect(link.sent).toContain('end')
    expect(ensemble.read(named('lock'))).toHaveLength(2)
    link.cut = false
    await clock.advance(500)
    const next = await waiting
    expect(ensemble.read(named('lock'))).toHaveLength(1)
    const { length } = link.sent
    await clock.advance(60_000)
    expect(link.sent.slice(length)).toEqual([])
    await next.release()
  })

  test('S2: that its client gives up without an answer is ended once: nothing is sent after the client was closed', async () => {
    const { holdfast, link } = client()
    await holdfast.lock('lock').acquire()
    link.cut = true
    await clock.advance(30_000)
    const closing = holdfast.close()
    await clock.advance(10_000)
    await closing
    const { length } = link.sent
    await clock.advance(30_000)
    expect(link.sent.slice(length)).toEqual([])
  })

  test('whose client is closed while no server answers ends by itself, which is no error', async () => {
    const { holdfast, link } = client()
    await (await holdfast.lock('lock').acquire()).release()
    const errors = journalOf(holdfast, 'error')
    link.cut = true
    const closing = holdfast.close()
    await clock.advance(10_000)
    await closing
    expect(link.sent).toContain('end')
    expect(errors).toEqual([])
  })

  test('whose begin is answered when its client is closed is kept by nobody', async () => {
    const { holdfast, link } = client()
    const [begin, answer] = [link.begin.bind(link), new Latch()]
    link.begin = async (leastMs) => {
      const grant = await begin(leastMs)
      await answer.opened
      return grant
    }
    const taking = rejectionOf(holdfast.lock('lock').acquire())
    await settled()
    const closing = holdfast.close({ timeoutMs: 0 })
    await clock.advance(10_000)
    await closing
    expect(await taking).toMatchObject({ code: 'CLOSED' })
    link.sent.length = 0
    answer.open()
    await clock.advance(60_000)
    expect(link.sent).toEqual([])
  })

  test('H5: close() does not wait for a server that hangs to end the session, whatever a command may take', async () => {
    const { holdfast, link } = client({ commandTimeoutMs: 8_000 })
    await (await holdfast.lock('lock').acquire()).release()
    const errors = journalOf(holdfast, 'error')
    link.hanging = 'end'
    let closed = false
    const closing = holdfast.close({ timeoutMs: 0 }).then(() => {
      closed = true
    })
    await clock.advance(1_000)
    expect(closed).toBe(true)
    await closing
    expect(link.sent).toContain('end')
    expect(errors).toEqual([])
  })

  test('S4: a waiter whose session has ended is not granted by its old place, and gets in by a new one', async () => {
    const [holder, waiter, behind] = [client(), client({ storeTimeoutMs: 60_000 }), client()]
    const hold = await holder.holdfast.lock('lock').acquire()
    const waiting = waiter.holdfast.lock('lock').acquire()
    await settled()
    const next = behind.holdfast.lock('lock').acquire()
    await settled()
    waiter.link.cut = true
    await clock.advance(20_000)
    waiter.link.cut = false
    await hold.release()
    await settled()
    // It stood before, and is passed over: its session has ended meanwhile.
    const second = await next
    await clock.advance(20_000)
    await second.release()
    await settled()
    const last = await waiting
    last.assertHeld()
    expect((await holder.holdfast.lock('lock').inspect()).owners).toMatchObject([
      { owner: last.owner, holds: 1 },
    ])
    await last.release()
  })

  test('calls for a fair or a fenced lock have a place each', async () => {
    for (const kind of ['fairLock', 'fencedLock'] as const) {
      const [holder, waiter] = [client(), client()]
      const hold = await holder.holdfast[kind](kind).acquire()
      const sections = [1, 2, 3].map(() => waiter.holdfast[kind](kind).withLock(() => undefined))
      await settled()
      expect(ensemble.read(named(kind))).toHaveLength(4)
      await hold.release()
      await Promise.all(sections)
    }
  })

  test('a lease shorter than the session is ended by the client, and by the server if that has gone', async () => {
    const [holder, other] = [client(), client()]
    await holder.holdfast.lock('lock').acquire({ leaseMs: 100 })
    await clock.advance(99)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
    await holder.holdfast.lock('lock').acquire({ leaseMs: 100 })
    holder.link.cut = true
    await clock.advance(1_999)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
  })

  test('a lease longer than the session outlives it', async () => {
    const [holder, other] = [client(), client()]
    const hold = await holder.holdfast.lock('lock').acquire({ leaseMs: 60_000 })
    holder.link.cut = true
    await clock.advance(59_000)
    hold.assertHeld()
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1_000)
    expect(hold.signal.aborted).toBe(true)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
  })

  test('L3: so does a nested hold whose lease is longer: its holder believes nothing that the server does not', async () => {
    const [holder, other] = [client(), client()]
    const owner = holder.holdfast.owner()
    await holder.holdfast.lock('lock').acquire({ owner })
    const nested = await holder.holdfast.lock('lock').acquire({ owner, leaseMs: 60_000 })
    holder.link.cut = true
    await clock.advance(59_000)
    nested.assertHeld()
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1_000)
    expect(nested.signal.aborted).toBe(true)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
  })
})
