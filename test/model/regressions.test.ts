/** What the model found, one by one: interleavings written out by hand, so that each stays found. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, LockLostError, StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { GRANTED, ScriptedPort, settle, storeOn } from '../unit/scripted-port.js'

const passing = new StoreError('unreachable', 'acquire', { transient: true })
const final = new StoreError('out-of-memory', 'acquire', { transient: false })
const minute = { leaseMs: 60_000 }

let clock: VirtualClock
/** The store answers what the test says, when it says so. */
let port: ScriptedPort
let made: Holdfast[]

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort(true)
  made = []
})

afterEach(async () => {
  await Promise.all(made.map((holdfast) => holdfast.close()))
})

function clientWith(options: HoldfastOptions = {}, close = async () => {}) {
  const holdfast = new Holdfast(storeOn(clock, port, { close }), options)
  made.push(holdfast)
  return { holdfast, owner: holdfast.owner(), lock: holdfast.lock('lock') }
}

/** Waits for what was just sent to be answered with a grant. */
async function grant(acquiring: Promise<Hold>): Promise<Hold> {
  await settle()
  port.acquires.last.answer(GRANTED)
  return await acquiring
}

/** How a call ended, once it has. */
function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: unknown) => error,
  )
}

/** What was just sent is the undoing of a call, down to so many holds. */
async function undone(down: { readonly owner?: string; readonly heldBefore: number }): Promise<void> {
  await settle()
  expect(port.abandons.last.request).toMatchObject(down)
  port.abandons.last.answer()
}

/** What was just sent is a release, which is carried out. */
async function released(releasing: Promise<unknown>): Promise<void> {
  await settle()
  port.releases.last.answer('released')
  await releasing
}

describe('what the model found', () => {
  test('L3: a nested grant that comes after the loss gives no hold that never learns of it', async () => {
    const { owner, lock } = clientWith()
    const outer = await grant(lock.acquire({ owner, leaseMs: 100 }))
    await clock.advance(90)
    const controller = new AbortController()
    const nested = outcomeOf(lock.acquire({ owner, leaseMs: 1_000, signal: controller.signal }))
    await clock.advance(20)
    expect(outer.remainingMs()).toBe(0)
    port.acquires.last.answer(GRANTED)
    // Nothing of the lost tenure is left, whatever its count was.
    await undone({ owner, heldBefore: 0 })
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
      const { owner, lock } = clientWith()
      const outer = await grant(lock.acquire({ owner, leaseMs: 50 }))
      const controller = new AbortController()
      const nested = outcomeOf(lock.acquire({ owner, signal: controller.signal }))
      await settle()
      controller.abort()
      await nested
      if (how === 'is granted too late') port.acquires.last.answer(GRANTED)
      else port.acquires.last.fail(passing)
      // The outer hold stays: only the nested one is undone.
      await undone({ owner, heldBefore: 1 })
      await settle()
      await clock.advance(60)
      await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
      expect(port.abandons.all).toHaveLength(2)
      await undone({ owner, heldBefore: 0 })
    },
  )

  test('L2: so may an extension without an answer have been', async () => {
    const { lock } = clientWith()
    const hold = await grant(lock.acquire({ leaseMs: 100 }))
    const extending = outcomeOf(hold.extend(10_000))
    await clock.advance(90)
    for (const each of port.renewals.all) each.fail(passing)
    expect(await extending).toBe(passing)
    await clock.advance(20)
    await undone({ heldBefore: 0 })
  })

  test('L5: a round of the watchdog between a nested acquire and its answer drops nothing', async () => {
    const { owner, lock } = clientWith({ watchdogMs: 300 })
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
    const { holdfast, lock } = clientWith({}, async () => {
      closedWith = port.abandons.all.length
    })
    const acquiring = outcomeOf(lock.acquire())
    await settle()
    port.acquires.last.fail(passing)
    await settle()
    const closing = holdfast.close()
    await settle()
    port.abandons.last.answer()
    await closing
    expect(closedWith).toBe(1)
    expect(await acquiring).toMatchObject({ code: 'CLOSED' })
    expect(Object.values(holdfast.census).every((count) => count === 0)).toBe(true)
  })

  test('X1: refused for good after an unknown outcome: what the first try may have taken is given back', async () => {
    const acquiring = outcomeOf(clientWith().lock.acquire())
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
    const { owner, lock } = clientWith()
    await grant(lock.acquire({ owner, ...minute }))
    const first = outcomeOf(lock.tryAcquire({ owner, ...minute }))
    const second = lock.acquire({ owner, ...minute })
    await settle()
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.fail(passing)
    expect(await first).toBe(passing)
    await settle()
    expect(port.acquires.all).toHaveLength(3)
    expect(port.acquires.last.request).toMatchObject({ heldBefore: 1 })
    expect(port.abandons.last.request).toMatchObject({ heldBefore: 2 })
    port.acquires.last.answer(GRANTED)
    await second
    port.abandons.last.answer()
  })

  test('X1, H3: with no other on its way a nested attempt of unknown outcome is undone down to what is held', async () => {
    const { owner, lock } = clientWith()
    await grant(lock.acquire({ owner, ...minute }))
    const nested = outcomeOf(lock.tryAcquire({ owner, ...minute }))
    await settle()
    port.acquires.last.fail(passing)
    expect(await nested).toBe(passing)
    await undone({ heldBefore: 1 })
  })
})

describe('what the model found about releases', () => {
  test('a waiter sleeps while the last release of its process hangs past the end of the lease', async () => {
    const { lock } = clientWith()
    const hold = await grant(lock.acquire({ leaseMs: 1_000 }))
    await clock.advance(900)
    const releasing = outcomeOf(hold.release())
    await settle()
    const waiting = lock.acquire({ waitMs: 600_000 })
    await settle()
    // In force by its order; the attempt that follows it is answered.
    port.watches.last.answer()
    port.acquires.last.answer({ outcome: 'busy', remainingMs: 100, holder: hold.owner })
    // Virtual time would never end if timer after timer were due at once.
    const advancing = clock.advance(5_000)
    const before = port.acquires.all.length
    const spinning = async () => {
      for (let turns = 0; turns < 5_000; turns += 1) await settle()
      return 'spins'
    }
    expect(await Promise.race([advancing, spinning()])).toBe(undefined)
    expect(port.acquires.all.length - before).toBeLessThan(3)
    for (const { answer } of port.acquires.all)
      answer({ outcome: 'busy', remainingMs: 600_000, holder: undefined })
    // The release ends with the lease; whether the store still knows of the lock is found out in the background.
    expect(await releasing).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout' })
    port.releases.last.answer('released')
    port.abandons.last.answer()
    await settle()
    port.watches.last.request.onNews()
    const next = await grant(waiting)
    await released(next.release())
  })

  test('L6: a lock that is granted after a forceUnlock is not lost by it', async () => {
    const { lock } = clientWith()
    const forcing = lock.forceUnlock()
    await settle()
    const hold = await grant(lock.acquire())
    port.forces.last.answer(true)
    expect(await forcing).toBe(true)
    expect(() => hold.assertHeld()).not.toThrow()
    expect(hold.signal.aborted).toBe(false)
  })

  test('W1: one attempt is made even while the owner’s own last release is under way', async () => {
    const { lock } = clientWith()
    const hold = await grant(lock.acquire())
    const releasing = hold.release()
    const trying = lock.tryAcquire({ owner: hold.owner })
    await released(releasing)
    await settle()
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.answer(GRANTED)
    expect(await trying).not.toBeNull()
  })

  test('W1: a grant that came too late is followed by another attempt', async () => {
    const { lock } = clientWith()
    const hold = await grant(lock.acquire())
    const releasing = hold.release()
    // Lies down while the release is under way: it cannot know until when.
    const waiting = lock.acquire({ leaseMs: 20 })
    await settle()
    port.watches.last.answer()
    port.acquires.last.answer({ outcome: 'busy', remainingMs: 30_000, holder: hold.owner })
    await released(releasing)
    await settle()
    const late = port.acquires.last
    await clock.advance(30)
    late.answer(GRANTED)
    await settle()
    port.abandons.last.answer()
    await clock.advance(20)
    expect(port.acquires.last).not.toBe(late)
    const next = await grant(waiting)
    expect(next.remainingMs()).toBeGreaterThan(0)
  })

  test('O3: a nested run that outlives the outer one keeps what it locked', async () => {
    const { holdfast, lock } = clientWith({ watchdogMs: 300 })
    const warnings: unknown[] = []
    holdfast.on('warning', (warning) => warnings.push(warning))
    let goOn: () => void = () => undefined
    let detached: Promise<unknown> = Promise.resolve()
    await holdfast.run(async () => {
      const locked = new Promise<void>((resolve) => {
        detached = holdfast.run(async () => {
          await lock.lock()
          resolve()
          await new Promise<void>((resume) => {
            goOn = resume
          })
          await lock.unlock()
        })
      })
      await settle()
      port.acquires.last.answer(GRANTED)
      await locked
    })
    await clock.advance(150)
    expect(port.renewals.all).toHaveLength(1)
    goOn()
    await released(detached)
    expect(warnings).toEqual([])
  })

  test('L6: a release that is being repeated does not free the owner’s next tenure', async () => {
    const { owner, lock } = clientWith()
    const first = await grant(lock.acquire({ owner }))
    const releasing = first.release()
    await settle()
    // The release was carried out and announced; its answer is lost. Another owner of the process takes the lock and frees it.
    const other = lock.acquire(minute)
    await settle()
    port.watches.last.request.onNews()
    port.watches.last.answer()
    const held = await grant(other)
    await released(held.release())
    // The first owner wants it again while its release is still without an answer.
    const again = lock.acquire({ owner })
    await settle()
    const [repeated] = port.releases.all
    repeated?.fail(passing)
    await clock.advance(100)
    expect(port.releases.last.request).toMatchObject({ owner, repeated: true })
    // Whatever is sent for that owner now must come after what would free it.
    expect(port.acquires.all.filter(({ request }) => request.owner === owner)).toHaveLength(1)
    port.releases.last.answer('released')
    await releasing
    const second = await grant(again)
    expect(() => second.assertHeld()).not.toThrow()
  })
})
