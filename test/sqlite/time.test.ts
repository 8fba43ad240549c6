/** Whose time counts, and what a start of the machine ends. */
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Machine } from '../../src/sqlite/machine.js'
import { thisMachine } from '../../src/sqlite/machine.js'
import { Stand, type TestClient } from './client.js'

const stand = new Stand()
afterEach(() => stand.tidy())
afterAll(() => stand.end())

const HOUR = 3_600_000

class TestMachine implements Machine {
  constructor(
    readonly boot: string | undefined,
    public wall: number,
    public monotonic = 5_000,
  ) {}

  monotonicMs(): number {
    return this.monotonic
  }

  wallMs(): number {
    return this.wall
  }

  pass(ms: number): void {
    this.wall += ms
    this.monotonic += ms
  }
}

function timeOf(client: TestClient): Promise<number> {
  return client.change('any', ({ now }) => now)
}

test('all clients of a machine have the same time, whatever becomes of its wall clock', async () => {
  const path = stand.path()
  const machine = new TestMachine('first', 1_800_000_000_000)
  const one = stand.client(path, { machine })
  expect(await timeOf(one)).toBe(1_800_000_000_000)
  machine.wall -= HOUR
  machine.pass(10)
  const other = stand.client(path, { machine })
  expect([await timeOf(one), await timeOf(other)]).toEqual([1_800_000_000_010, 1_800_000_000_010])
  machine.wall += 5 * HOUR
  expect([await timeOf(one), await timeOf(other)]).toEqual([1_800_000_000_010, 1_800_000_000_010])
})

test('this machine has such a clock, and its time reads as the time of day', async () => {
  const client = stand.client(stand.path())
  expect(thisMachine().boot).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  expect(Math.abs((await timeOf(client)) - Date.now())).toBeLessThan(60_000)
})

test('where no start of the machine can be told, the wall clock counts', async () => {
  const machine = new TestMachine(undefined, 1_800_000_000_000)
  const client = stand.client(stand.path(), { machine })
  expect(await timeOf(client)).toBe(1_800_000_000_000)
  machine.wall += HOUR
  expect(await timeOf(client)).toBe(1_800_000_000_000 + HOUR)
})

test('after a start of the machine all earlier clients have ended, tokens stay, and time does not go back', async () => {
  const path = stand.path()
  const before = new TestMachine('first', 1_800_000_000_000)
  const holder = stand.client(path, { machine: before })
  before.pass(HOUR)
  await holder.write('a', { owner: `${holder.id}:1`, holds: 1, endsAt: Infinity, fence: 7n })
  const after = new TestMachine('second', 1_000_000_000_000, 3)
  const client = stand.client(path, { machine: after })
  expect(await client.ended(holder.id)).toBe(true)
  expect(await client.reaches(holder.id)).toBe(false)
  expect((await client.read('a')).fence).toBe(7n)
  expect(await timeOf(client)).toBeGreaterThanOrEqual(1_800_000_000_000 + HOUR)
  after.pass(10)
  const next = stand.client(path, { machine: after })
  expect(await timeOf(next)).toBe(await timeOf(client))
})

test('rows in which nothing is held are removed in the end, and nothing else is', async () => {
  const path = stand.path()
  const machine = new TestMachine('first', 1_800_000_000_000)
  const client = stand.client({ path, retainMs: HOUR }, { machine })
  const end = machine.wall + 10
  const waiting = stand.client(path, { machine })
  await client.write('free', { fence: 1n })
  await client.write('lapsed', { owner: 'x:1', holds: 1, endsAt: end, fence: 2n })
  await client.write('endless', { owner: 'x:1', holds: 1, endsAt: Infinity })
  await client.write('awaited', { waiting: [waiting.id] })
  await client.write('more', { rest: '{}' })
  await Promise.all(Array.from({ length: 2_500 }, (_, index) => client.write(`many ${index}`, { fence: 1n })))
  machine.pass(HOUR - 1)
  expect(await client.names()).toHaveLength(2_505)
  machine.pass(20)
  // Each client looks when it opens the file; those that are long there look once an hour.
  const other = stand.client({ path, retainMs: HOUR }, { machine })
  await expect.poll(() => other.names()).toEqual(['awaited', 'endless', 'more'])
})

test('a clean-up is remembered by the next time the machine starts, so that no token can be less', async () => {
  const path = stand.path()
  const before = new TestMachine('first', 1_800_000_000_000)
  const client = stand.client({ path, retainMs: HOUR }, { machine: before })
  await client.write('a', { fence: 1n })
  before.pass(2 * HOUR)
  const cleaner = stand.client({ path, retainMs: HOUR }, { machine: before })
  await expect.poll(() => cleaner.names()).toEqual([])
  const after = new TestMachine('second', 1_000_000_000_000, 3)
  expect(await timeOf(stand.client(path, { machine: after }))).toBeGreaterThanOrEqual(before.wall)
})

test('clients that ended are forgotten, unless a row names them', async () => {
  const path = stand.path()
  const before = new TestMachine('first', 1_800_000_000_000)
  const [holder, waiter, gone] = [0, 1, 2].map(() => stand.client(path, { machine: before }))
  if (!holder || !waiter || !gone) throw new Error('too few')
  await holder.write('held', { owner: `${holder.id}:1`, holds: 1, endsAt: Infinity })
  await waiter.write('awaited', { waiting: [waiter.id] })
  await gone.write('any', {})
  const after = new TestMachine('second', before.wall + HOUR, 3)
  const client = stand.client(path, { machine: after })
  await client.names()
  const another = stand.client(path, { machine: after })
  const ended = (): Promise<boolean[]> =>
    Promise.all([holder, waiter, gone].map(({ id }) => another.ended(id)))
  await expect.poll(ended).toEqual([true, true, false])
})
