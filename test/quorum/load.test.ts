import { afterEach, describe, expect, test } from 'vitest'
import type { HoldfastOptions } from '../../src/index.js'
import type { QuorumOptions } from '../../src/stores/quorum/quorum.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { Fleet } from './fleet.js'

const TIMES = {
  get commandTimeoutMs() {
    return lasting(400)
  },
  storeTimeoutMs: 10_000,
}

/** Sections of several clients on an unguarded counter; `disturb` runs when a quarter of them is through. */
async function sectionsUnder(
  fleet: Fleet,
  name: string,
  disturb: () => Promise<void>,
  options: HoldfastOptions = {},
  quorumOptions: QuorumOptions = {},
): Promise<void> {
  const clients = 4
  const each = 40
  let inside = 0
  let most = 0
  let through = 0
  let disturbing: Promise<void> | undefined
  const section = async (): Promise<void> => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    through += 1
    if (through === (clients * each) / 4) disturbing = disturb()
  }
  await Promise.all(
    Array.from({ length: clients }, async () => {
      // Each call asks for itself, so that the clients meet at the servers as often as can be.
      const lock = fleet.holdfast({ ...TIMES, maxHandOvers: 0, ...options }, quorumOptions).lock(name)
      for (let count = 0; count < each; count += 1) await lock.withLock(section)
    }),
  )
  await disturbing
  expect(most).toBe(1)
  expect(through).toBe(clients * each)
}

describe('O1: one at a time, under load, with three servers', () => {
  const fleet = duringAll(() => Fleet.bring(3))
  afterEach(() => fleet.tidy())

  test('with all servers there', async () => {
    const name = fleet.lockName()
    await sectionsUnder(fleet, name, async () => undefined)
    await fleet.nothingLeft(name)
  })

  test('while one is killed', async () => {
    await sectionsUnder(fleet, fleet.lockName(), () => fleet.server(0).kill())
  })

  test('while one hangs, and goes on', async () => {
    const name = fleet.lockName()
    await sectionsUnder(fleet, name, async () => {
      await fleet.server(1).pause()
      // Until somebody has noticed: its connection is dropped after the command timeout.
      await eventually(async () => (await fleet.vote(1, name)) === 'away')
      await fleet.server(1).resume()
    })
    await fleet.nothingLeft(name)
  })

  test('while one restarts empty, and is kept out of the votes until the leases are over', async () => {
    const name = fleet.lockName()
    // To a client that sees it for the first time a server that is new is one that was restarted.
    await eventually(async () => Math.min(...(await fleet.agesMs())) >= 3_000)
    const restart = (): Promise<void> => fleet.server(2).restart({ keepData: false })
    await sectionsUnder(fleet, name, restart, { watchdogMs: lasting(1_500) }, { restartGuardMs: 2_000 })
    await fleet.nothingLeft(name)
  })
})

describe('O1: one at a time, under load, with five servers', () => {
  const fleet = duringAll(() => Fleet.bring(5))
  afterEach(() => fleet.tidy())

  test('while one is killed and one hangs', async () => {
    await sectionsUnder(fleet, fleet.lockName(), async () => {
      await fleet.server(0).kill()
      await fleet.server(3).pause()
    })
  })

  test('with three killed there is no lock, but an error', async () => {
    for (const index of [0, 1, 2]) await fleet.server(index).kill()
    await expect(fleet.holdfast(TIMES).lock(fleet.lockName()).tryAcquire()).rejects.toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('3 of 5 servers failed'),
    })
  })
})
