/** Which clients a row lists as waiting outside a line: those that listen, and no others. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Latch } from '../../src/conformance/latch.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { FarRows } from '../liveness/far-rows.js'
import { Network } from '../liveness/network.js'

function sessionOf(
  store: Pick<MemoryStore, 'open' | 'clock'>,
  onError = (error: unknown): void => {
    throw error
  },
) {
  const client = randomUUID()
  const session = store.open({
    schedule: new Schedule(store.clock, onError),
    clientId: client,
    watchdogLeaseMs: 30_000,
    quarantineMs: 0,
    commandTimeoutMs: 3_000,
    onError,
  })
  onTestFinished(() => session.close())
  const port = session.countDownLatch
  if (!port) throw new Error('it is there')
  return { session, client, port }
}

test('W4: one that leaves before it listens is not listed', async () => {
  const clock = new VirtualClock()
  const { port } = sessionOf(new MemoryStore(clock))
  port.watch('name', () => undefined).close()
  await clock.advance(0)
  expect(await port.countWatchers('name')).toBe(0)
  const [leaves, stays] = [port.watch('name', () => undefined), port.watch('name', () => undefined)]
  leaves.close()
  await stays.confirmed
  expect(await port.countWatchers('name')).toBe(1)
  stays.close()
  await clock.advance(0)
  expect(await port.countWatchers('name')).toBe(0)
})

test('W4: a call whose latch is not open is listed only while its client listens', async () => {
  const clock = new VirtualClock()
  const { client, port } = sessionOf(new MemoryStore(clock))
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
})

const unreachable = new StoreError('unreachable', 'change', { transient: true })
const forbidden = new StoreError('permission', 'change', { transient: false })

/** A client that is listed, and what it is told of. */
async function listed() {
  const network = new Network(new VirtualClock())
  const told: unknown[] = []
  const { session, port } = sessionOf(new FarRows(network), (error) => told.push(error))
  const watch = port.watch('name', () => undefined)
  await watch.confirmed
  expect(await port.countWatchers('name')).toBe(1)
  return { network, told, session, port, watch }
}

test('W4: one that leaves while the store is out of reach is taken off the list when it is back', async () => {
  const { network, told, port, watch } = await listed()
  network.journey = () => ({ refused: unreachable })
  watch.close()
  await network.clock.advance(10_000)
  expect(told).toContain(unreachable)
  network.journey = () => ({})
  await network.clock.advance(500)
  expect(await port.countWatchers('name')).toBe(0)
  const { sent } = network
  await network.clock.advance(60_000)
  expect(network.sent).toBe(sent)
})

test('W4: one that has come back meanwhile stays on it', async () => {
  const { network, port, watch } = await listed()
  network.journey = () => ({ refused: unreachable })
  watch.close()
  await network.clock.advance(100)
  const again = port.watch('name', () => undefined)
  network.journey = () => ({})
  await again.confirmed
  await network.clock.advance(10_000)
  expect(await port.countWatchers('name')).toBe(1)
})

test('W4: what takes it off comes after what lists it again: it stays', async () => {
  const { network, port, watch } = await listed()
  const gate = new Latch()
  network.journey = () => ({ there: gate.opened })
  watch.close()
  network.journey = () => ({})
  await port.watch('name', () => undefined).confirmed
  gate.open()
  await network.clock.advance(10_000)
  expect(await port.countWatchers('name')).toBe(1)
})

test.each([
  ['the store refuses it for good', forbidden, false],
  ['the client is closed', unreachable, true],
])('W4: it is not tried again when %s', async (_, failure, closes) => {
  const { network, told, session, watch } = await listed()
  network.journey = () => ({ refused: failure })
  watch.close()
  await network.clock.advance(0)
  expect(told).toEqual([failure])
  if (closes) await session.close()
  const { sent } = network
  await network.clock.advance(60_000)
  expect(network.sent).toBe(sent)
})

/** A watcher that another client has taken off the list, because no message reached it. */
async function dropped() {
  const network = new Network(new VirtualClock())
  const rows = new FarRows(network)
  const { port: watching, client } = sessionOf(rows, () => undefined)
  const changing = sessionOf(rows).port
  /** Each announces something. */
  const change = async (): Promise<void> => {
    await changing.trySetCount('name', 1, randomUUID())
    await changing.delete('name', randomUUID())
    await network.clock.advance(0)
  }
  let heard = 0
  const watch = watching.watch('name', () => {
    heard += 1
  })
  await watch.confirmed
  rows.cutOff = client
  await change()
  expect(heard).toBe(0)
  expect(await changing.countWatchers('name')).toBe(0)
  return { network, change, watch, changing, join: () => rows.join(client), heard: () => heard }
}

test('W2: one that no message reached for a while is listed again, and told of what comes then', async () => {
  const { network, change, watch, changing, join, heard } = await dropped()
  network.journey = () => ({ refused: unreachable })
  join()
  await network.clock.advance(1_000)
  const before = heard()
  expect(before).toBe(1)
  network.journey = () => ({})
  await network.clock.advance(1_000)
  expect(await changing.countWatchers('name')).toBe(1)
  // What was announced before it was listed again it may not know of.
  expect(heard()).toBe(before + 1)
  await change()
  expect(heard()).toBeGreaterThan(before + 1)
  watch.close()
  await network.clock.advance(0)
  expect(await changing.countWatchers('name')).toBe(0)
})

test('W4: one that leaves while it is to be listed again is neither listed nor told', async () => {
  const { network, watch, changing, join, heard } = await dropped()
  network.journey = () => ({ refused: unreachable })
  join()
  await network.clock.advance(100)
  watch.close()
  const before = heard()
  network.journey = () => ({})
  await network.clock.advance(10_000)
  expect(await changing.countWatchers('name')).toBe(0)
  expect(heard()).toBe(before)
})
