/** Whose time counts, and what a start of the machine ends. */
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Packed } from '../../src/stores/rows/shape.js'
import { type Machine, thisMachine } from '../../src/stores/sqlite/machine.js'
import { checkSqliteOptions } from '../../src/stores/sqlite/options.js'
import { sqliteRows } from '../../src/stores/sqlite/store.js'
import type { TestClient } from './client.js'
import { Stand } from './stand.js'

const stand = new Stand()

const HOUR = 3_600_000
const START_MS = 1_800_000_000_000

class TestMachine implements Machine {
  constructor(
    readonly boot: string | undefined,
    public wall = START_MS,
    public monotonic = 5_000,
  ) {}

  readonly monotonicMs = (): number => this.monotonic
  readonly wallMs = (): number => this.wall

  pass(ms: number): void {
    this.wall += ms
    this.monotonic += ms
  }
}

function timeOf(client: TestClient): Promise<number> {
  return client.change('any', ({ now }) => now)
}

async function namesOf(client: TestClient): Promise<string[]> {
  const keyspaces = ['lock', 'read-write', 'semaphore', 'permits', 'latch', 'value'] as const
  return (await Promise.all(keyspaces.map((keyspace) => client.names('*', keyspace)))).flat().sort()
}

test('all clients of a machine have the same time, whatever becomes of its wall clock', async () => {
  const path = stand.path()
  const machine = new TestMachine('first')
  const one = stand.client(path, { machine })
  expect(await timeOf(one)).toBe(START_MS)
  machine.wall -= HOUR
  machine.pass(10)
  const other = stand.client(path, { machine })
  expect([await timeOf(one), await timeOf(other)]).toEqual([START_MS + 10, START_MS + 10])
  machine.wall += 5 * HOUR
  expect([await timeOf(one), await timeOf(other)]).toEqual([START_MS + 10, START_MS + 10])
})

test('this machine has such a clock, and its time reads as the time of day', async () => {
  const client = stand.client(stand.path())
  expect(thisMachine().boot).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  expect(Math.abs((await timeOf(client)) - Date.now())).toBeLessThan(60_000)
})

test('where no start of the machine can be told, the wall clock counts', async () => {
  const machine = new TestMachine(undefined)
  const client = stand.client(stand.path(), { machine })
  expect(await timeOf(client)).toBe(START_MS)
  machine.wall += HOUR
  expect(await timeOf(client)).toBe(START_MS + HOUR)
})

test('after a start of the machine all earlier clients have ended, tokens stay, and time does not go back', async () => {
  const path = stand.path()
  const before = new TestMachine('first')
  const holder = stand.client(path, { machine: before })
  before.pass(HOUR)
  await holder.write('a', { owner: `${holder.id}:1`, holds: 1, endsAt: Infinity, fence: 7n })
  const after = new TestMachine('second', 1_000_000_000_000, 3)
  const client = stand.client(path, { machine: after })
  expect(await client.ended(holder.id)).toBe(true)
  expect(await client.reaches(holder.id)).toBe(false)
  expect((await client.read('a')).fence).toBe(7n)
  expect(await timeOf(client)).toBeGreaterThanOrEqual(START_MS + HOUR)
  after.pass(10)
  expect(await timeOf(stand.client(path, { machine: after }))).toBe(await timeOf(client))
})

test('rows in which nothing is held are removed in the end, and nothing else is', async () => {
  const path = stand.path()
  const machine = new TestMachine('first')
  const client = stand.client({ path, retainMs: HOUR }, { machine })
  const end = machine.wall + 10
  const waiting = [stand.client(path, { machine }).id]
  for (const [name, row] of Object.entries<Partial<Packed>>({
    free: { fence: 1n },
    lapsed: { owner: 'x:1', holds: 1, endsAt: end, fence: 2n },
    endless: { owner: 'x:1', holds: 1, endsAt: Infinity },
    awaited: { waiting },
    more: { rest: '{}' },
    over: { waiting, rest: JSON.stringify({ until: end }) },
    'not over': { rest: JSON.stringify({ until: end + 1 }) },
  }))
    await client.write(name, row)
  await Promise.all(Array.from({ length: 2_500 }, (_, index) => client.write(`many ${index}`, { fence: 1n })))
  machine.pass(HOUR - 1)
  expect(await client.names()).toHaveLength(2_507)
  machine.pass(20)
  // Each client looks when it opens the file; those that are long there look once an hour.
  const other = stand.client({ path, retainMs: HOUR }, { machine })
  await expect.poll(() => other.names()).toEqual(['awaited', 'endless', 'more'])
})

test('of what kinds keep in rows beside a holder, what is over is removed, and nothing else is', async () => {
  const path = stand.path()
  const machine = new TestMachine('first')
  const rows = sqliteRows(checkSqliteOptions({ path, retainMs: HOUR }), { machine })
  const one = new Holdfast({ open: (settings) => new RowStoreSession(rows, settings) })
  await one.computeOnce('value', () => 1, { ttlMs: 1_000 })
  await one.computeOnce('long value', () => 1, { ttlMs: 9 * HOUR })
  await one.countDownLatch('open').trySetCount(1)
  await one.countDownLatch('open').countDown()
  await one.countDownLatch('shut').trySetCount(1)
  await one.semaphore('permits').trySetPermits(1)
  await one.semaphore('short permits').trySetPermits(1, { ttlMs: 1_000 })
  await one.readWriteLock('read').readLock().acquire({ leaseMs: 1_000 })
  const client = stand.client({ path, retainMs: HOUR }, { machine })
  // A process that crashes while it waits leaves its place.
  await client.session.change(exclusiveLocks, 'in line', (draft) => {
    new ExclusiveLock('in line', draft).line.stand(`x:${client.id}:1`, 1_000, 1_000, 'any')
  })
  machine.pass(3 * HOUR)
  const cleaner = stand.client({ path, retainMs: HOUR }, { machine })
  await expect.poll(() => namesOf(cleaner)).toEqual(['once:long value', 'permits', 'shut'])
  await one.close()
})

test('a clean-up is remembered by the next time the machine starts, so that no token can be less', async () => {
  const path = stand.path()
  const before = new TestMachine('first')
  await stand.client({ path, retainMs: HOUR }, { machine: before }).write('a', { fence: 1n })
  before.pass(2 * HOUR)
  const cleaner = stand.client({ path, retainMs: HOUR }, { machine: before })
  await expect.poll(() => cleaner.names()).toEqual([])
  const after = new TestMachine('second', 1_000_000_000_000, 3)
  expect(await timeOf(stand.client(path, { machine: after }))).toBeGreaterThanOrEqual(before.wall)
})

test('clients that ended are forgotten, unless a row names them', async () => {
  const path = stand.path()
  const before = new TestMachine('first')
  const [holder, waiter, gone] = [0, 1, 2].map(() => stand.client(path, { machine: before }))
  if (!holder || !waiter || !gone) throw new Error('too few')
  await holder.write('held', { owner: `${holder.id}:1`, holds: 1, endsAt: Infinity })
  await waiter.write('awaited', { waiting: [waiter.id] })
  await gone.write('any', {})
  const after = new TestMachine('second', before.wall + HOUR, 3)
  await stand.client(path, { machine: after }).names()
  const another = stand.client(path, { machine: after })
  const ended = (): Promise<boolean[]> =>
    Promise.all([holder, waiter, gone].map(({ id }) => another.ended(id)))
  await expect.poll(ended).toEqual([true, true, false])
})
