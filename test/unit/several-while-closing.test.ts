import { describe, expect, test } from 'vitest'
import { ClosedError, Holdfast } from '../../src/index.js'
import { AcquireAll, type Terms } from '../../src/kinds/several/acquire-all.js'
import { AcquireAny } from '../../src/kinds/several/acquire-any.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { endOf } from './falling-silent.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

/** Two clients of which one is closed, and a third one that has a lock which the call waits for. */
function world(): { clock: VirtualClock; one: Holdfast; two: Holdfast; far: Holdfast } {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  return { clock, one: new Holdfast(store), two: new Holdfast(store), far: new Holdfast(store) }
}

function sumOf({ census }: Holdfast): number {
  return Object.values(census).reduce((sum, count) => sum + count, 0)
}

describe('a call that does not wait, for several locks', () => {
  const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }
  const names = ['a', 'b', 'c']

  function scene(): { scripted: ScriptedLocker; terms: Terms; clock: VirtualClock } {
    const clock = new VirtualClock()
    const scripted = new ScriptedLocker(new ScriptedPort(true), clock)
    const { name: _, ...terms } = callFrom(root(scripted.owners.next()), { waitMs: 0 })
    return { scripted, terms, clock }
  }

  test('H5: draining lets it take the others of all, and waits until it gives them back', async () => {
    const { scripted, terms, clock } = scene()
    const { locker } = scripted
    const members = names.map((name) => ({ name, locker, place: 0, polls: undefined }))
    const asking = new AcquireAll(members, terms, () => clock.now()).run()
    const draining = endOf(clock, locker.lifetime.drain())
    for (const name of names) {
      const asked = await scripted.answer(() => ({ outcome: 'granted' }))
      expect(asked.map((request) => request.name)).toEqual([name])
    }
    const grants = await asking
    if ('name' in grants) return expect.unreachable()
    expect(draining.at).toBeUndefined()
    const again = new AcquireAll(
      members.slice(1),
      { ...terms, caller: root(scripted.owners.next()) },
      () => 0,
    )
    await expect(again.run()).rejects.toMatchObject({ code: 'CLOSED' })
    const released = grants.map((grant) => locker.release(grant))
    expect(await scripted.freeAll()).toEqual(names)
    await Promise.all(released)
    expect(draining.at).toBe(0)
  })

  test('H5: draining lets it ask for the others of any, and ends when it is refused', async () => {
    const { scripted, terms, clock } = scene()
    const { locker } = scripted
    const asking = new AcquireAny(locker, (index) => names[index] ?? '', names.length, terms).run()
    const draining = endOf(clock, locker.lifetime.drain())
    for (let asked = 0; asked < names.length; ) {
      expect(draining.at).toBeUndefined()
      asked += (await scripted.answer(() => BUSY)).length
    }
    expect(await asking).toMatchObject({ holder: 'other:1' })
    await settle()
    expect(draining.at).toBe(0)
    expect(locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })

  test('H5: what it takes after draining was cut short is given back', async () => {
    const { scripted, terms, clock } = scene()
    const { locker } = scripted
    const members = names.map((name) => ({ name, locker, place: 0, polls: undefined }))
    const asking = new AcquireAll(members, terms, () => clock.now()).run()
    void locker.lifetime.drain()
    await scripted.answer(() => ({ outcome: 'granted' }))
    const closing = endOf(clock, locker.lifetime.close())
    await expect(asking).rejects.toMatchObject({ code: 'CLOSED', lockName: 'b' })
    await scripted.answer(() => ({ outcome: 'granted' }))
    expect(await scripted.freeAll()).toEqual(['a', 'b'])
    await settle()
    expect(closing.at).toBe(0)
    expect(locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })
})

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
