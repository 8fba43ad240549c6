/** Which clients a row lists as waiting outside a line: those that listen, and no others. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'
import type { StoreSession } from '../../src/ports/store.js'
import { Schedule } from '../../src/time/schedule.js'

function sessionOf(store: MemoryStore): { readonly session: StoreSession; readonly client: string } {
  const client = randomUUID()
  const onError = (error: unknown): void => {
    throw error
  }
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
