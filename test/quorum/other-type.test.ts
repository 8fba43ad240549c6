/** Some servers' keys are overwritten by something of another type: each has lost its vote, for certain. */
import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { Fleet } from './fleet.js'

const WATCHDOG_MS = 6_000

const fleet = duringAll(() => Fleet.bring(5))
afterEach(() => fleet.tidy())

async function overwrite(name: string, servers: readonly number[]): Promise<void> {
  for (const index of servers) {
    const client = fleet.client(index)
    await client.call('DEL', name)
    await client.call('LPUSH', name, 'something else')
  }
}

/** It is removed from all servers, and nothing is left then. */
async function freed(name: string): Promise<void> {
  await Promise.all(fleet.servers.map((_, index) => fleet.client(index).call('DEL', name)))
  await fleet.nothingLeft(name)
}

describe('H24: keys of a quorum that are something else by now', () => {
  test.each([
    { what: 'on a majority', other: [0, 1, 2], gone: [] },
    { what: 'on all servers', other: [0, 1, 2, 3, 4], gone: [] },
    { what: 'on one, and gone from two', other: [4], gone: [0, 1] },
  ])('$what: lost, at the next renewal and not at the deadline', async ({ other, gone }) => {
    const name = fleet.lockName()
    const holdfast = fleet.holdfast({ watchdogMs: WATCHDOG_MS })
    const told: string[] = []
    for (const event of ['lost', 'suspended'] as const) holdfast.on(event, () => told.push(event))
    const from = performance.now()
    const hold = await holdfast.lock(name).acquire()
    await eventually(
      () => fleet.votes(name),
      (votes) => votes.every((vote) => vote === hold.owner),
    )
    await overwrite(name, other)
    for (const index of gone) await fleet.client(index).call('DEL', name)
    await eventually(() => hold.signal.aborted)
    expect(performance.now() - from).toBeLessThan(WATCHDOG_MS - 500)
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
    expect(told).toEqual(['lost'])
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
    // What a majority still has of it goes with it: nobody waits for a lease.
    await freed(name)
  })

  test('on the lesser half: it is held and renewed, released, and taken by the next', async () => {
    const name = fleet.lockName()
    const holdfast = fleet.holdfast({ watchdogMs: lasting(1_500) })
    const errors = journalOf(holdfast, 'error')
    const hold = await holdfast.lock(name).acquire()
    await overwrite(name, [1, 3])
    for (let renewals = 0; renewals < 3; renewals += 1)
      await new Promise((resolve) => holdfast.once('renewed', resolve))
    hold.assertHeld()
    await hold.release()
    await (await fleet.holdfast().lock(name).acquire({ waitMs: 5_000 })).release()
    await freed(name)
    expect(errors).toEqual([])
  })

  test('on the lesser half, while another server hangs: told at the deadline, or renewed when it is back', async () => {
    const name = fleet.lockName()
    const holdfast = fleet.holdfast({ watchdogMs: 3_000, commandTimeoutMs: 500 })
    const hold = await holdfast.lock(name).acquire()
    await overwrite(name, [1, 3])
    await fleet.server(0).pause()
    await new Promise((resolve) => holdfast.once('suspended', resolve))
    hold.assertHeld()
    await fleet.server(0).resume()
    await new Promise((resolve) => holdfast.once('renewed', resolve))
    hold.assertHeld()
    await hold.release()
    await freed(name)
  })
})
