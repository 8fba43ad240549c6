/** What the model found, one by one: interleavings written out by hand, so that each stays found. */
import { describe, expect, test } from 'vitest'
import { Holdfast, LockLostError } from '../../src/index.js'
import { settle } from '../unit/scripted-port.js'
import {
  clock,
  final,
  grant,
  granted,
  holdfastWith,
  outcomeOf,
  passing,
  port,
  scriptStore,
} from './scripted-store.js'

scriptStore()

describe('what the model found', () => {
  test('L3: a nested grant that comes after the loss gives no hold that never learns of it', async () => {
    const holdfast = holdfastWith()
    const owner = holdfast.owner()
    const lock = holdfast.lock('lock')
    const outer = await grant(lock.acquire({ owner, leaseMs: 100 }))
    await clock.advance(90)
    const controller = new AbortController()
    const nested = outcomeOf(lock.acquire({ owner, leaseMs: 1_000, signal: controller.signal }))
    await clock.advance(20)
    expect(outer.remainingMs()).toBe(0)
    port.acquires.last.answer(granted)
    await settle()
    // Nothing of the lost tenure is left, whatever its count was.
    expect(port.abandons.last.request).toMatchObject({ owner, heldBefore: 0 })
    port.abandons.last.answer()
    await settle()
    // The call goes on as a first acquisition, under another name: what the store may still have of the owner is not its own.
    expect(port.acquires.last.request).toMatchObject({ heldBefore: 0 })
    expect(port.acquires.last.request.owner).not.toBe(owner)
    controller.abort()
    port.acquires.last.answer({ outcome: 'lost' })
    await nested
    await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
  })

  test.each(['is granted too late', 'is never answered'])(
    'L2: a nested call that %s has prolonged the lease in the store: what is left of that at the end of the outer lease is given back',
    async (how) => {
      const holdfast = holdfastWith()
      const owner = holdfast.owner()
      const lock = holdfast.lock('lock')
      const outer = await grant(lock.acquire({ owner, leaseMs: 50 }))
      const controller = new AbortController()
      const nested = outcomeOf(lock.acquire({ owner, signal: controller.signal }))
      await settle()
      controller.abort()
      await nested
      if (how === 'is granted too late') port.acquires.last.answer(granted)
      else port.acquires.last.fail(passing)
      await settle()
      // The outer hold stays: only the nested one is undone.
      expect(port.abandons.last.request).toMatchObject({ owner, heldBefore: 1 })
      port.abandons.last.answer()
      await settle()
      await clock.advance(60)
      await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
      expect(port.abandons.all).toHaveLength(2)
      expect(port.abandons.last.request).toMatchObject({ owner, heldBefore: 0 })
      port.abandons.last.answer()
    },
  )

  test('L2: so may an extension without an answer have been', async () => {
    const lock = holdfastWith().lock('lock')
    const hold = await grant(lock.acquire({ leaseMs: 100 }))
    const extending = outcomeOf(hold.extend(10_000))
    await clock.advance(90)
    for (const each of port.renewals.all) each.fail(passing)
    expect(await extending).toBe(passing)
    await clock.advance(20)
    expect(port.abandons.last.request).toMatchObject({ heldBefore: 0 })
    port.abandons.last.answer()
  })

  test('L5: a round of the watchdog between a nested acquire and its answer drops nothing', async () => {
    const holdfast = holdfastWith({ watchdogMs: 300 })
    const owner = holdfast.owner()
    const lock = holdfast.lock('lock')
    await grant(lock.acquire({ owner, leaseMs: 10_000 }))
    const nesting = lock.acquire({ owner })
    await clock.advance(150)
    const nested = await grant(nesting)
    expect(nested.remainingMs()).toBeGreaterThan(0)
    await clock.advance(300)
    expect(port.renewals.all.length).toBeGreaterThan(0)
  })

  test('W4: close gives back what a call between two tries may have taken, before it closes the store', async () => {
    let closedWith = -1
    const holdfast = new Holdfast({
      clock,
      open: () => ({
        lock: port,
        close: async () => {
          closedWith = port.abandons.all.length
        },
      }),
    })
    const acquiring = outcomeOf(holdfast.lock('lock').acquire())
    await settle()
    port.acquires.last.fail(passing)
    await settle()
    const closing = holdfast.close()
    await settle()
    expect(port.abandons.all).toHaveLength(1)
    port.abandons.last.answer()
    await closing
    expect(closedWith).toBe(1)
    expect(await acquiring).toMatchObject({ code: 'CLOSED' })
    expect(Object.values(holdfast.census).every((count) => count === 0)).toBe(true)
  })

  test('X1: refused for good after an unknown outcome: what the first try may have taken is given back', async () => {
    const acquiring = outcomeOf(holdfastWith().lock('lock').acquire())
    await settle()
    port.acquires.last.fail(passing)
    await clock.advance(100)
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.fail(final)
    expect(await acquiring).toBe(final)
    await settle()
    expect(port.abandons.all.map(({ request }) => request.heldBefore)).toEqual([0])
    port.abandons.last.answer()
  })

  test('X1, H3: the count is right after a nested attempt of unknown outcome: the next does not wait, and is spared by the undoing', async () => {
    const holdfast = holdfastWith()
    const owner = holdfast.owner()
    const lock = holdfast.lock('lock')
    await grant(lock.acquire({ owner, leaseMs: 60_000 }))
    const first = outcomeOf(lock.tryAcquire({ owner, leaseMs: 60_000 }))
    const second = lock.acquire({ owner, leaseMs: 60_000 })
    await settle()
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.fail(passing)
    expect(await first).toBe(passing)
    await settle()
    expect(port.acquires.all).toHaveLength(3)
    expect(port.acquires.last.request).toMatchObject({ heldBefore: 1 })
    expect(port.abandons.last.request).toMatchObject({ heldBefore: 2 })
    port.acquires.last.answer(granted)
    await second
    port.abandons.last.answer()
  })

  test('X1, H3: with no other on its way a nested attempt of unknown outcome is undone down to what is held', async () => {
    const holdfast = holdfastWith()
    const owner = holdfast.owner()
    const lock = holdfast.lock('lock')
    await grant(lock.acquire({ owner, leaseMs: 60_000 }))
    const nested = outcomeOf(lock.tryAcquire({ owner, leaseMs: 60_000 }))
    await settle()
    port.acquires.last.fail(passing)
    expect(await nested).toBe(passing)
    await settle()
    expect(port.abandons.last.request).toMatchObject({ heldBefore: 1 })
    port.abandons.last.answer()
  })
})
