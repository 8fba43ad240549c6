/** Whoever comes to stand first in line looks when the lock ends: nobody is told when a lease runs out, or a transaction that the lock is tied to ends. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { AcquireRequest, News } from '../../src/port/lock-port.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { RowLockPort } from '../../src/stores/rows/lock-port.js'
import { RowClient } from '../../src/stores/rows/row-client.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { rowSettings } from '../setup/row-settings.js'

const LONG_MS = 30_000
const SHORT_MS = 50

let clock: VirtualClock
let rows: MemoryRows
beforeEach(() => {
  clock = new VirtualClock()
  rows = new MemoryRows(clock)
})

type Caller = Awaited<ReturnType<typeof call>>

/** A client with one call, and what it hears. */
async function call() {
  const client = new RowClient(rows, rowSettings(clock))
  const port = new RowLockPort(client, 'x', true)
  const heard: Array<News | undefined> = []
  await port.watch('line', (news) => heard.push(news)).confirmed
  const request = (leaseMs: number, number = 1): AcquireRequest => ({
    ...{ name: 'line', owner: `${client.id}:${number}`, heldBefore: 0, leaseMs, waits: true },
  })
  return { client, port, heard, request }
}

/** A holder, and so many that stand in line and know when its lease ends; those behind the eighth look later. */
async function stand(leaseMs: number, count: number): Promise<{ holder: Caller; line: readonly Caller[] }> {
  const holder = await call()
  await holder.port.acquire(holder.request(leaseMs))
  const line: Caller[] = []
  for (let number = 0; number < count; number += 1) line.push(await call())
  for (const { port, request } of [...line, ...line])
    expect(await port.acquire(request(LONG_MS))).toMatchObject({ outcome: 'busy' })
  return { holder, line }
}

/** The holder's first hold has a lease of its own, which is shorter than that of a grant in line. */
async function shorten({ port, request }: Caller): Promise<void> {
  expect(await port.acquire(request(SHORT_MS))).toMatchObject({ outcome: 'granted' })
}

test('the place behind one that gives up is called to look when a lease ends that has become shorter', async () => {
  const { holder, line } = await stand(LONG_MS, 2)
  await shorten(holder)
  expect(line.map(({ heard }) => heard)).toEqual([[{ lookInMs: SHORT_MS }], []])
  await clock.advance(10)
  await line[0]?.port.abandon(line[0].request(LONG_MS))
  expect(line[1]?.heard).toEqual([{ lookInMs: SHORT_MS - 10 }])
})

test('the place behind one that gives up is called to look soon', async () => {
  await (await call()).client.change(exclusiveLocks, 'line', ({ body }) => {
    body.ties['1'] = `${randomUUID()}:1`
  })
  const [first, second] = [await call(), await call()]
  for (const { port, request } of [first, second, second])
    expect((await port.acquire(request(LONG_MS))).outcome).toBe('busy')
  await first.port.abandon(first.request(LONG_MS))
  expect(second.heard).toEqual([{ lookInMs: 100 }])
})

test('the place behind one that takes the lock with a short lease is called to look when that ends', async () => {
  const { holder, line } = await stand(LONG_MS, 2)
  await shorten(holder)
  await clock.advance(SHORT_MS)
  expect(await line[0]?.port.acquire(line[0].request(SHORT_MS))).toMatchObject({ outcome: 'granted' })
  expect(line[1]?.heard).toEqual([{ lookInMs: SHORT_MS }])
})

test('the place behind one whose process no message reaches is called in its stead', async () => {
  const { holder, line } = await stand(LONG_MS, 2)
  await line[0]?.client.close()
  await shorten(holder)
  expect(line[1]?.heard).toEqual([{ lookInMs: SHORT_MS }])
})

test('who rested behind others is called to look when the lock ends, once those have left', async () => {
  const leaseMs = LONG_MS / 2
  const { line } = await stand(leaseMs, 9)
  for (const { port, request } of line.slice(0, 8)) await port.abandon(request(LONG_MS))
  expect(line.map(({ heard }) => heard)).toEqual([...Array(8).fill([]), [{ lookInMs: leaseMs }]])
})

test('a place that joins promises nothing for one of its process that stands before it', async () => {
  const { holder, line } = await stand(LONG_MS, 1)
  const [first] = line
  if (!first) throw new Error('one client stands in line')
  const joined = await first.port.acquire(first.request(LONG_MS, 2))
  expect(joined).toMatchObject({ outcome: 'busy', againMs: first.client.firstLeaseMs })
  // It would look in time, if it stays: the place before it does not know of that end.
  await holder.port.acquire(holder.request(first.client.firstLeaseMs))
  expect(first.heard).toEqual([{ lookInMs: first.client.firstLeaseMs }])
})

test.each([
  ['last', 1],
  ['first of two', 2],
])('of permits, the %s in line has exactly the lease of its request', async (_, waiting) => {
  const open = () => {
    const settings = rowSettings(clock)
    const port = new RowStoreSession(rows, settings).permitExpirableSemaphore
    const request = (number: number, leaseMs: number): AcquireRequest => ({
      ...{ name: 'permits', owner: `${settings.clientId}:${number}`, heldBefore: 0, leaseMs },
      ...{ permits: 1, waits: true },
    })
    return { port, request }
  }
  const [holder, waiter] = [open(), open()]
  await holder.port.trySetPermits('permits', 1, 'set')
  const held = holder.request(1, 60_000)
  expect(await holder.port.acquire(held)).toMatchObject({ outcome: 'granted' })
  await waiter.port.watch('permits', () => undefined).confirmed
  for (let number = 1; number <= waiting; number += 1)
    expect(await waiter.port.acquire(waiter.request(number, SHORT_MS))).toMatchObject({ outcome: 'busy' })
  await holder.port.release({ name: 'permits', owner: held.owner, heldBefore: 1, repeated: false })
  await clock.advance(1)
  expect(await waiter.port.acquire(waiter.request(1, SHORT_MS))).toMatchObject({ outcome: 'granted' })
  expect((await holder.port.inspect('permits')).remainingMs).toBe(SHORT_MS)
})
