/** Which clients a row lists as waiting outside a line: those that listen, and no others. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { StoreError } from '../../src/errors/errors.js'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'
import type { StoreSession } from '../../src/ports/store.js'
import { Schedule } from '../../src/time/schedule.js'
import { FarRows } from '../liveness/far-rows.js'

function sessionOf(
  store: Pick<MemoryStore, 'open' | 'clock'>,
  onError = (error: unknown): void => {
    throw error
  },
): { readonly session: StoreSession; readonly client: string } {
  const client = randomUUID()
  const session = store.open({
    schedule: new Schedule(store.clock, onError),
    clientId: client,
    watchdogLeaseMs: 30_000,
    quarantineMs: 0,
    commandTimeoutMs: 3_000,
    onError,
  })
  return { session, client }
}

test.each(['semaphore', 'permitExpirableSemaphore', 'countDownLatch'] as const)(
  'W4: one that leaves before it listens is not listed (%s)',
  async (kind) => {
    const clock = new VirtualClock()
    const { session } = sessionOf(new MemoryStore(clock))
    const port = session[kind]
    if (!port) throw new Error('every kind is there')
    const first = port.watch('name', () => undefined)
    first.close()
    await clock.advance(0)
    expect(await port.countWatchers('name')).toBe(0)
    const [leaves, stays] = [port.watch('name', () => undefined), port.watch('name', () => undefined)]
    leaves.close()
    await stays.confirmed
    expect(await port.countWatchers('name')).toBe(1)
    stays.close()
    await clock.advance(0)
    expect(await port.countWatchers('name')).toBe(0)
    await session.close()
  },
)

test('W4: a call whose latch is not open is listed only while its client listens', async () => {
  const clock = new VirtualClock()
  const { session, client } = sessionOf(new MemoryStore(clock))
  const port = session.countDownLatch
  if (!port) throw new Error('it is there')
  await port.trySetCount('name', 1, 'a request')
  const request = { name: 'name', owner: `${client}:1`, heldBefore: 0, leaseMs: 30_000, waits: true } as const
  expect(await port.acquire(request)).toMatchObject({ outcome: 'busy' })
  expect(await port.countWatchers('name')).toBe(0)
  const watch = port.watch('name', () => undefined)
  expect(await port.acquire(request)).toMatchObject({ outcome: 'busy' })
  expect(await port.countWatchers('name')).toBe(1)
  watch.close()
  await clock.advance(0)
  expect(await port.countWatchers('name')).toBe(0)
  await session.close()
})

const unreachable = new StoreError('unreachable', 'change', { transient: true })
const forbidden = new StoreError('permission', 'change', { transient: false })

/** A client that is listed, and what it is told of. */
async function listed() {
  const rows = new FarRows(new VirtualClock())
  const told: unknown[] = []
  const { session } = sessionOf(rows, (error) => told.push(error))
  const port = session.semaphore
  if (!port) throw new Error('it is there')
  const watch = port.watch('name', () => undefined)
  await watch.confirmed
  expect(await port.countWatchers('name')).toBe(1)
  return { rows, told, session, port, watch }
}

test('W4: one that leaves while the store is out of reach is taken off the list when it is back', async () => {
  const { rows, told, session, port, watch } = await listed()
  rows.journey = () => ({ refused: unreachable })
  watch.close()
  await rows.clock.advance(10_000)
  expect(told).toContain(unreachable)
  rows.journey = () => ({})
  await rows.clock.advance(500)
  expect(await port.countWatchers('name')).toBe(0)
  const { sent } = rows
  await rows.clock.advance(60_000)
  expect(rows.sent).toBe(sent)
  await session.close()
})

test('W4: one that has come back meanwhile stays on it', async () => {
  const { rows, session, port, watch } = await listed()
  rows.journey = () => ({ refused: unreachable })
  watch.close()
  await rows.clock.advance(100)
  const again = port.watch('name', () => undefined)
  rows.journey = () => ({})
  await again.confirmed
  await rows.clock.advance(10_000)
  expect(await port.countWatchers('name')).toBe(1)
  await session.close()
})

test('W4: what takes it off comes after what lists it again: it stays', async () => {
  const { rows, session, port, watch } = await listed()
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  rows.journey = () => ({ there: opened })
  watch.close()
  rows.journey = () => ({})
  await port.watch('name', () => undefined).confirmed
  open()
  await rows.clock.advance(10_000)
  expect(await port.countWatchers('name')).toBe(1)
  await session.close()
})

test.each([
  ['the store refuses it for good', forbidden, false],
  ['the client is closed', unreachable, true],
])('W4: it is not tried again when %s', async (_, failure, closes) => {
  const { rows, told, session, watch } = await listed()
  rows.journey = () => ({ refused: failure })
  watch.close()
  await rows.clock.advance(0)
  expect(told).toEqual([failure])
  if (closes) await session.close()
  const { sent } = rows
  await rows.clock.advance(60_000)
  expect(rows.sent).toBe(sent)
})
