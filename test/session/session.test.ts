/** Locks that last as long as their client's session: what is told when it ends, and what it costs to keep and to wait. */
import { describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Latch } from '../../src/conformance/latch.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { CloseOptions, Holdfast, HoldfastOptions } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Fleet } from './fleet.js'

const fleet = duringEach(() => new Fleet())

/** A client, and its handle of the lock that most tests are about. */
function client(options?: HoldfastOptions) {
  const made = fleet.client(options)
  return { ...made, lock: made.holdfast.lock('lock') }
}

/** Closes it, with all the time that it may take. */
async function closed(holdfast: Holdfast, options?: CloseOptions): Promise<void> {
  const closing = holdfast.close(options)
  await fleet.clock.advance(10_000)
  await closing
}

describe('a session', () => {
  test('that the server has ended is known with the next keep-alive, long before the leases by the clock', async () => {
    const { holdfast } = client({ watchdogMs: 90_000 })
    const lost = journalOf(holdfast, 'lost')
    await holdfast.lock('one').acquire()
    await holdfast.lock('two').acquire()
    fleet.ensemble.end('1')
    await fleet.settled()
    expect(lost.map(({ name }) => name).sort()).toEqual(['one', 'two'])
  })

  test('S2, S7: that its client gives up is ended at a server that has counted it anew, as soon as that is reached', async () => {
    const [{ lock, link }, other] = [client(), client()]
    const hold = await lock.acquire()
    const waiting = other.lock.acquire()
    link.cut = true
    await fleet.clock.advance(9_000)
    // As a new leader does.
    expect(fleet.ensemble.keepAlive('1')).toBe(true)
    await fleet.clock.advance(2_000)
    expect(hold.signal.aborted).toBe(true)
    expect(link.sent).toContain('end')
    expect(fleet.line()).toHaveLength(2)
    link.cut = false
    await fleet.clock.advance(500)
    const next = await waiting
    expect(fleet.line()).toHaveLength(1)
    const { length } = link.sent
    await fleet.clock.advance(60_000)
    expect(link.sent.slice(length)).toEqual([])
    await next.release()
  })

  test('S2: that its client gives up without an answer is ended once: nothing is sent after the client was closed', async () => {
    const { holdfast, lock, link } = client()
    await lock.acquire()
    link.cut = true
    await fleet.clock.advance(30_000)
    await closed(holdfast)
    const { length } = link.sent
    await fleet.clock.advance(30_000)
    expect(link.sent.slice(length)).toEqual([])
  })

  test('whose client is closed while no server answers ends by itself, which is no error', async () => {
    const { holdfast, lock, link } = client()
    await lock.withLock(() => undefined)
    const errors = journalOf(holdfast, 'error')
    link.cut = true
    await closed(holdfast)
    expect(link.sent).toContain('end')
    expect(errors).toEqual([])
  })

  test('whose begin is answered when its client is closed is kept by nobody', async () => {
    const { holdfast, lock, link } = client()
    const [begin, answer] = [link.begin.bind(link), new Latch()]
    link.begin = async (leastMs) => {
      const grant = await begin(leastMs)
      await answer.opened
      return grant
    }
    const taking = rejectionOf(lock.acquire())
    await fleet.settled()
    await closed(holdfast, { timeoutMs: 0 })
    expect(await taking).toMatchObject({ code: 'CLOSED' })
    link.sent.length = 0
    answer.open()
    await fleet.clock.advance(60_000)
    expect(link.sent).toEqual([])
  })

  test('H5: close() does not wait for a server that hangs to end the session, whatever a command may take', async () => {
    const { holdfast, lock, link } = client({ commandTimeoutMs: 8_000 })
    await lock.withLock(() => undefined)
    const errors = journalOf(holdfast, 'error')
    link.hanging = 'end'
    let closed = false
    const closing = holdfast.close({ timeoutMs: 0 }).then(() => {
      closed = true
    })
    await fleet.clock.advance(1_000)
    expect(closed).toBe(true)
    await closing
    expect(link.sent).toContain('end')
    expect(errors).toEqual([])
  })

  test('S4: a waiter whose session has ended is not granted by its old place, and gets in by a new one', async () => {
    const [holder, waiter, behind] = [client(), client({ storeTimeoutMs: 60_000 }), client()]
    const hold = await holder.lock.acquire()
    const waiting = waiter.lock.acquire()
    await fleet.settled()
    const next = behind.lock.acquire()
    await fleet.settled()
    waiter.link.cut = true
    await fleet.clock.advance(20_000)
    waiter.link.cut = false
    await hold.release()
    await fleet.settled()
    // It stood before, and is passed over: its session has ended meanwhile.
    const second = await next
    await fleet.clock.advance(20_000)
    await second.release()
    await fleet.settled()
    const last = await waiting
    last.assertHeld()
    expect((await holder.lock.inspect()).owners).toMatchObject([{ owner: last.owner, holds: 1 }])
    await last.release()
  })

  test.each(['fairLock', 'fencedLock'] as const)('calls for a %s have a place each', async (kind) => {
    const [holder, waiter] = [client(), client()]
    const hold = await holder.holdfast[kind]('lock').acquire()
    const sections = [1, 2, 3].map(() => waiter.holdfast[kind]('lock').withLock(() => undefined))
    await fleet.settled()
    expect(fleet.line()).toHaveLength(4)
    await hold.release()
    await Promise.all(sections)
  })

  test('a lease shorter than the session is ended by the client, and by the server if that has gone', async () => {
    const [holder, other] = [client(), client()]
    for (const [cut, endsMs] of [[false, 100] as const, [true, 2_000] as const]) {
      await holder.lock.acquire({ leaseMs: 100 })
      holder.link.cut = cut
      await fleet.clock.advance(endsMs - 1)
      expect(await other.lock.isLocked()).toBe(true)
      await fleet.clock.advance(1)
      expect(await other.lock.isLocked()).toBe(false)
    }
  })

  test.each([
    ['a lease', 0],
    ['L3: the lease of a nested hold', 1],
  ])('%s that is longer than the session outlives it, for its holder as on the server', async (_, around) => {
    const [holder, other] = [client(), client()]
    const owner = holder.holdfast.owner()
    for (let holds = 0; holds < around; holds += 1) await holder.lock.acquire({ owner })
    const hold = await holder.lock.acquire({ owner, leaseMs: 60_000 })
    holder.link.cut = true
    await fleet.clock.advance(59_000)
    hold.assertHeld()
    expect(await other.lock.isLocked()).toBe(true)
    await fleet.clock.advance(1_000)
    expect(hold.signal.aborted).toBe(true)
    expect(await other.lock.isLocked()).toBe(false)
  })

  test('S4: a client whose session ended while it was idle takes its next lock at once, and leaves nothing in line', async () => {
    const { lock } = client()
    for (const idleMs of [0, 5_000, 8_950, 9_500, 60_000]) {
      await fleet.clock.advance(idleMs)
      const hold = await lock.acquire({ waitMs: 0 })
      expect(hold.remainingMs()).toBeGreaterThan(2_000)
      await hold.release()
      expect(fleet.ensemble.locks, `after ${idleMs} ms`).toEqual([])
    }
  })
})
