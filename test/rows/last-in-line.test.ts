/** The lease of permits that were granted in line, where nobody stands in it any more. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { AcquireRequest } from '../../src/port/lock-port.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { rowSettings } from '../setup/row-settings.js'

const name = 'permits'
const LEASE_MS = 50

test.each([
  ['last', 1],
  ['first of two', 2],
])('the %s in line has exactly the lease of its request', async (_, waiting) => {
  const clock = new VirtualClock()
  const rows = new MemoryRows(clock)
  const clientIds = [randomUUID(), randomUUID()] as const
  const [holder, waiter] = clientIds.map(
    (clientId) => new RowStoreSession(rows, rowSettings(clock, { clientId })).permitExpirableSemaphore,
  )
  if (!holder || !waiter) throw new Error('two clients were opened')
  const request = (client: 0 | 1, number: number, leaseMs: number): AcquireRequest => ({
    ...{ name, owner: `${clientIds[client]}:${number}` as const, heldBefore: 0, leaseMs },
    ...{ permits: 1, waits: true },
  })
  await holder.trySetPermits(name, 1, 'set')
  const held = request(0, 1, 60_000)
  expect(await holder.acquire(held)).toMatchObject({ outcome: 'granted' })
  const watch = waiter.watch(name, () => undefined)
  await watch.confirmed
  for (let number = 1; number <= waiting; number += 1)
    expect(await waiter.acquire(request(1, number, LEASE_MS))).toMatchObject({ outcome: 'busy' })
  await holder.release({ name, owner: held.owner, heldBefore: 1, repeated: false })
  await clock.advance(1)
  expect(await waiter.acquire(request(1, 1, LEASE_MS))).toMatchObject({ outcome: 'granted' })
  expect((await holder.inspect(name)).remainingMs).toBe(LEASE_MS)
  watch.close()
})
