/** When the watchdog sends what, on a store that answers when the test says so. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { type Hold, Holdfast, LockLostError } from '../../src/index.js'
import type { GrantedReply } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { GRANTED, ScriptedPort, settle, storeOn } from './scripted-port.js'

const EVERY_MS = 1_000

let clock: VirtualClock
let port: ScriptedPort
let holdfast: Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  holdfast = new Holdfast(storeOn(clock, port), { watchdogMs: 3 * EVERY_MS, lingerMs: 0 })
})
afterEach(() => holdfast.close())

async function held(names: readonly string[], reply: Partial<GrantedReply> = {}): Promise<Hold[]> {
  const holds = names.map((name) => holdfast.lock(name).acquire())
  await settle()
  for (const { answer } of port.acquires.all) answer({ ...GRANTED, ...reply })
  return await Promise.all(holds)
}

test('L4: a renewal that fails is tried again within a tenth of the time to the next, until it gets through', async () => {
  await held(['lock'])
  const told: string[] = []
  for (const event of ['suspended', 'renewed'] as const) holdfast.on(event, () => told.push(event))
  await clock.advance(EVERY_MS)
  for (const tries of [1, 2]) {
    expect(port.renewals.all).toHaveLength(tries)
    port.renewals.last.fail(new StoreError('unreachable', 'renew', { transient: true }))
    await clock.advance(EVERY_MS / 10)
  }
  port.renewals.last.answer(true)
  await clock.advance(EVERY_MS / 2)
  expect(port.renewals.all).toHaveLength(3)
  expect(told).toEqual(['suspended', 'renewed'])
})

test('L3: a renewal that is answered after the deadline is too late, though no timer has told of the end yet', async () => {
  const [hold] = await held(['lock'])
  await clock.advance(EVERY_MS)
  // The event loop is blocked until the lease that the holder counts on is over, and that of the renewal is not.
  clock.skip(2.5 * EVERY_MS)
  port.renewals.last.answer(true)
  await settle()
  expect(() => hold?.assertHeld()).toThrow(LockLostError)
  expect(hold?.signal.reason).toMatchObject({ reason: 'lease-expired' })
})

test('L1: more leases than fit into one piece are renewed piece by piece, without those that were released meanwhile', async () => {
  const holds = await held(Array.from({ length: 1_002 }, (_, index) => `lock ${index}`))
  await clock.advance(EVERY_MS)
  expect(port.batches).toEqual([500])
  const released = holds.at(-1)?.release()
  await settle()
  port.releases.last.answer('released')
  await released
  await clock.advance(2)
  expect(port.batches).toEqual([500, 500, 1])
})

test('W3: a grant of the store’s own, with a short lease, is renewed when a third of that has passed, not at once', async () => {
  await held(['lock'], { granted: { since: clock.now(), leaseMs: 300 } })
  await clock.advance(99)
  expect(port.renewals.all).toEqual([])
  await clock.advance(1)
  expect(port.renewals.all).toHaveLength(1)
})

test('L1: a grant that took long to arrive has little of its lease left, and is renewed at once', async () => {
  const hold = holdfast.lock('lock').acquire()
  await clock.advance(EVERY_MS + 1)
  port.acquires.last.answer(GRANTED)
  await hold
  expect(port.renewals.all).toHaveLength(1)
})
