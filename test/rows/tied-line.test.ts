/** Who looks for a line whose lock a transaction keeps: nobody is told when a transaction ends. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import type { News } from '../../src/port/lock-port.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import { RowLockPort } from '../../src/stores/rows/lock-port.js'
import { RowClient } from '../../src/stores/rows/row-client.js'

const name = 'tied'

test('the place behind one that gives up is called to look soon', async () => {
  const clock = new VirtualClock()
  const errors: unknown[] = []
  const rows = new MemoryRows(clock)
  const client = (): RowClient =>
    new RowClient(rows, {
      schedule: new Schedule(clock, (error) => errors.push(error)),
      clientId: randomUUID(),
      watchdogLeaseMs: 30_000,
      quarantineMs: 0,
      commandTimeoutMs: 1_000,
      onError: (error) => errors.push(error),
    })
  const clients = [client(), client()]
  const heard: Array<News | undefined> = []
  const [first, second] = clients.map((each, index) => {
    const port = new RowLockPort(each, 'x', true)
    const watch = port.watch(name, (news) => index === 1 && heard.push(news))
    const request = { name, owner: `${each.id}:1` as const, heldBefore: 0, leaseMs: 30_000, waits: true }
    return { port, watch, request }
  })
  if (!first || !second) throw new Error('two clients were opened')
  await clients[0]?.change(exclusiveLocks, name, ({ body }) => {
    body.ties['1'] = `${randomUUID()}:1`
  })
  for (const { port, watch, request } of [first, second, second]) {
    await watch.confirmed
    expect((await port.acquire(request)).outcome).toBe('busy')
  }
  await first.port.abandon(first.request)
  expect(heard).toEqual([{ lookInMs: 100 }])
  expect(errors).toEqual([])
})
