/** What the model found about releases, forced and repeated ones among them, written out by hand. */
import { describe, expect, test } from 'vitest'
import { settle } from '../unit/scripted-port.js'
import {
  clock,
  grant,
  granted,
  holdfastWith,
  outcomeOf,
  passing,
  port,
  scriptStore,
} from './scripted-store.js'

scriptStore()

describe('what the model found about releases', () => {
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
    // The release ends with the lease; whether the store still knows of the lock is found out in the background.
    expect(await releasing).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout' })
    port.releases.last.answer('released')
    port.abandons.last.answer()
    await settle()
    port.watches.last.request.onNews()
    await settle()
    port.acquires.last.answer(granted)
    await settle()
    const next = waiting.then((each) => each.release())
    await settle()
    port.releases.last.answer('released')
    await next
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
    await clock.advance(20)
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
