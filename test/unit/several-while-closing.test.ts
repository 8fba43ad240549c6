import { describe, expect, test } from 'vitest'
import { ClosedError, Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'

/** Two clients of which one is closed, and a third one that has a lock which the call waits for. */
function world(): { clock: VirtualClock; one: Holdfast; two: Holdfast; far: Holdfast } {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  return { clock, one: new Holdfast(store), two: new Holdfast(store), far: new Holdfast(store) }
}

/** When and how it ended, by that clock. */
function endOf(
  clock: VirtualClock,
  work: Promise<unknown>,
): { at?: number; value?: unknown; error?: unknown } {
  const end: ReturnType<typeof endOf> = {}
  work.then(
    (value) => Object.assign(end, { at: clock.now(), value }),
    (error: unknown) => Object.assign(end, { at: clock.now(), error }),
  )
  return end
}

function sumOf({ census }: Holdfast): number {
  return Object.values(census).reduce((sum, count) => sum + count, 0)
}

describe('locks of two clients, one of which ends', () => {
  test.each([
    ['drains', { drainMs: 20_000 }],
    ['is closed', {}],
  ])('H5: one %s while the call waits for a lock of the other: it ends at once', async (_, options) => {
    const { clock, one, two, far } = world()
    await far.lock('b').acquire()
    const waiting = endOf(clock, one.multiLock([one.lock('a'), two.lock('b')]).acquire())
    await clock.advance(1_000)
    const closing = endOf(clock, one.close(options))
    await clock.advance(1)
    expect(waiting).toMatchObject({ at: 1_000, error: { code: 'CLOSED', lockName: 'a' } })
    expect(waiting.error).toBeInstanceOf(ClosedError)
    await clock.advance(1_000)
    expect(closing.at).toBeLessThan(1_600)
    expect(sumOf(one)).toBe(0)
    expect(two.census.calls).toBe(0)
    expect(await far.lock('a').isLocked()).toBe(false)
  })

  test('H5: a new call is refused at once, although a lock of the other client comes first', async () => {
    const { clock, one, two, far } = world()
    await far.lock('a').acquire()
    const hold = await one.lock('c').acquire()
    const closing = endOf(clock, one.close({ drainMs: 20_000 }))
    const asking = endOf(clock, two.multiLock([two.lock('a'), one.lock('b')]).acquire())
    await clock.advance(1)
    expect(asking).toMatchObject({ at: 0, error: { code: 'CLOSED', lockName: 'b' } })
    await hold.release()
    await clock.advance(1_000)
    expect(closing.at).toBeLessThan(600)
    expect(sumOf(one)).toBe(0)
  })

  test('H5: a section of a client that drains may have its lock again, with one of another client', async () => {
    const { clock, one, two, far } = world()
    const taken = await far.lock('b').acquire()
    const section = endOf(
      clock,
      one.lock('a').withLock(async () => {
        await one.multiLock([one.lock('a'), two.lock('b')]).withLock(() => 'done')
        return 'done'
      }),
    )
    await clock.advance(1_000)
    const closing = endOf(clock, one.close({ drainMs: 20_000 }))
    await clock.advance(1_000)
    expect(section.at).toBeUndefined()
    await taken.release()
    await clock.advance(1_000)
    expect(section).toMatchObject({ at: 2_000 })
    expect(closing.at).toBeLessThan(2_600)
    expect(sumOf(one)).toBe(0)
  })
})
