/** What the model found, one by one: interleavings written out by hand, so that each stays found. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, LockLostError, StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/memory/index.js'
import { ScriptedPort, settle } from '../unit/scripted-port.js'

const passing = new StoreError('unreachable', 'acquire', { transient: true })
const final = new StoreError('out-of-memory', 'acquire', { transient: false })
const granted = { outcome: 'granted' } as const

let clock: VirtualClock
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

function holdfastWith(options: HoldfastOptions = {}): Holdfast {
  const holdfast = new Holdfast(
    { clock, open: () => ({ lock: port, close: async () => undefined }) },
    options,
  )
  made.push(holdfast)
  return holdfast
}

/** Waits for what was just sent to be answered with a grant. */
async function grant(acquiring: Promise<Hold>): Promise<Hold> {
  await settle()
  port.acquires.last.answer(granted)
  return await acquiring
}

/** How a call ended, once it has. */
function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: unknown) => error,
  )
}

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
    // The call goes on as a first acquisition.
    expect(port.acquires.last.request).toMatchObject({ owner, heldBefore: 0 })
    controller.abort()
    port.acquires.last.answer({ outcome: 'lost' })
    await nested
    await expect(outer.release()).rejects.toBeInstanceOf(LockLostError)
  })

  test('a waiter sleeps while the last release of its process hangs past the end of the lease', async () => {
    const lock = holdfastWith().lock('lock')
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
    let turns = 0
    const before = port.acquires.all.length
    await Promise.race([
      advancing,
      (async () => {
        for (; turns < 5_000; turns += 1) await settle()
      })(),
    ])
    expect(turns).toBeLessThan(5_000)
    expect(port.acquires.all.length - before).toBeLessThan(3)
    for (const { answer } of port.acquires.all)
      answer({ outcome: 'busy', remainingMs: 600_000, holder: undefined })
    port.releases.last.answer('released')
    expect(await releasing).toBe('done')
    await settle()
    port.acquires.last.answer(granted)
    await settle()
    const next = waiting.then((each) => each.release())
    await settle()
    port.releases.last.answer('released')
    await next
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

  test('L6: a lock that is granted after a forceUnlock is not lost by it', async () => {
    const lock = holdfastWith().lock('lock')
    const forcing = lock.forceUnlock()
    await settle()
    const hold = await grant(lock.acquire())
    port.forces.last.answer(true)
    expect(await forcing).toBe(true)
    expect(() => hold.assertHeld()).not.toThrow()
    expect(hold.signal.aborted).toBe(false)
  })

  test('L6: a forceUnlock by the holder’s own process is a loss at once', async () => {
    const lock = holdfastWith().lock('lock')
    const hold = await grant(lock.acquire())
    const forcing = lock.forceUnlock()
    await settle()
    port.forces.last.answer(true)
    await forcing
    expect(hold.signal.aborted).toBe(true)
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

  test('X1: the count is right after a nested attempt of unknown outcome: it is undone before the next has its turn', async () => {
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
    expect(port.abandons.last.request).toMatchObject({ heldBefore: 1 })
    expect(port.acquires.all).toHaveLength(2)
    port.abandons.last.answer()
    await settle()
    expect(port.acquires.last.request).toMatchObject({ heldBefore: 1 })
    port.acquires.last.answer(granted)
    await second
  })

  test('W1: one attempt is made even while the owner’s own last release is under way', async () => {
    const lock = holdfastWith().lock('lock')
    const hold = await grant(lock.acquire())
    const releasing = hold.release()
    const trying = lock.tryAcquire({ owner: hold.owner })
    await settle()
    port.releases.last.answer('released')
    await releasing
    await settle()
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.answer(granted)
    expect(await trying).not.toBeNull()
  })

  test('W1: a grant that came too late is followed by another attempt', async () => {
    const lock = holdfastWith().lock('lock')
    const hold = await grant(lock.acquire())
    const releasing = hold.release()
    // Lies down while the release is under way: it cannot know until when.
    const waiting = lock.acquire({ leaseMs: 20 })
    await settle()
    port.watches.last.answer()
    port.acquires.last.answer({ outcome: 'busy', remainingMs: 30_000, holder: hold.owner })
    await settle()
    port.releases.last.answer('released')
    await releasing
    await settle()
    const late = port.acquires.last
    await clock.advance(30)
    late.answer(granted)
    await settle()
    port.abandons.last.answer()
    await clock.advance(1)
    expect(port.acquires.last).not.toBe(late)
    const next = await grant(waiting)
    expect(next.remainingMs()).toBeGreaterThan(0)
  })

  test('O3: a nested run that outlives the outer one keeps what it locked', async () => {
    const holdfast = holdfastWith({ watchdogMs: 300 })
    const warnings: unknown[] = []
    holdfast.on('warning', (warning) => warnings.push(warning))
    const lock = holdfast.lock('lock')
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
      port.acquires.last.answer(granted)
      await locked
    })
    await clock.advance(150)
    expect(port.renewals.all).toHaveLength(1)
    goOn()
    await settle()
    port.releases.last.answer('released')
    await detached
    expect(warnings).toEqual([])
  })

  test('L6: a release that is being repeated does not free the owner’s next tenure', async () => {
    const holdfast = holdfastWith()
    const owner = holdfast.owner()
    const lock = holdfast.lock('lock')
    const first = await grant(lock.acquire({ owner }))
    const releasing = first.release()
    await settle()
    // The release was carried out and announced; its answer is lost. Another owner of the process takes the lock and frees it.
    const other = lock.acquire({ leaseMs: 60_000 })
    await settle()
    port.watches.last.request.onNews()
    port.watches.last.answer()
    const held = await grant(other)
    const freeing = held.release()
    await settle()
    port.releases.last.answer('released')
    await freeing
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
