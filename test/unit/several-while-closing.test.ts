/** Calls for locks of two clients, one of which ends. */
import { beforeEach, expect, test } from 'vitest'
import { ClosedError, Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { endOf } from './in-virtual-time.js'

let clock: VirtualClock
/** The client that ends. */
let one: Holdfast
let two: Holdfast
/** It has a lock which the call waits for. */
let far: Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  const store = new MemoryStore(clock)
  ;[one, two, far] = [new Holdfast(store), new Holdfast(store), new Holdfast(store)]
})

function nothingIsLeft(): void {
  expect(Object.values(one.census)).toEqual(Object.values(one.census).map(() => 0))
}

test.each([
  ['drains', { drainMs: 20_000 }],
  ['is closed', {}],
])('H5: one %s while the call waits for a lock of the other: it ends at once', async (_, options) => {
  await far.lock('b').acquire()
  const waiting = endOf(clock, one.multiLock([one.lock('a'), two.lock('b')]).acquire())
  await clock.advance(1_000)
  const closing = endOf(clock, one.close(options))
  await clock.advance(1)
  expect(waiting).toMatchObject({ at: 1_000, error: { code: 'CLOSED', lockName: 'a' } })
  expect(waiting.error).toBeInstanceOf(ClosedError)
  await clock.advance(1_000)
  expect(closing.at).toBeLessThan(1_600)
  nothingIsLeft()
  expect(two.census.calls).toBe(0)
  expect(await far.lock('a').isLocked()).toBe(false)
})

test('H5: a new call is refused at once, although a lock of the other client comes first', async () => {
  await far.lock('a').acquire()
  const hold = await one.lock('c').acquire()
  const closing = endOf(clock, one.close({ drainMs: 20_000 }))
  const asking = endOf(clock, two.multiLock([two.lock('a'), one.lock('b')]).acquire())
  await clock.advance(1)
  expect(asking).toMatchObject({ at: 0, error: { code: 'CLOSED', lockName: 'b' } })
  await hold.release()
  await clock.advance(1_000)
  expect(closing.at).toBeLessThan(600)
  nothingIsLeft()
})

test('H5: a section of a client that drains may have its lock again, with one of another client', async () => {
  const taken = await far.lock('b').acquire()
  const both = one.multiLock([one.lock('a'), two.lock('b')])
  const section = endOf(
    clock,
    one.lock('a').withLock(() => both.withLock(() => 'done')),
  )
  await clock.advance(1_000)
  const closing = endOf(clock, one.close({ drainMs: 20_000 }))
  await clock.advance(1_000)
  expect(section).toEqual({})
  await taken.release()
  await clock.advance(1_000)
  expect(section).toMatchObject({ at: 2_000, value: 'done' })
  expect(closing.at).toBeLessThan(2_600)
  nothingIsLeft()
})
