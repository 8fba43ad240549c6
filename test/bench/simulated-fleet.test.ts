/** A fleet in virtual time, small: what bench/simulated finds of a thousand processes holds for forty. */
import { expect, test } from 'vitest'
import { Fleet } from '../../bench/simulated/fleet.js'
import { smallFleet } from '../../bench/simulated/fleets.js'

/** Design section 7: of a fleet of loops. */
const COMMANDS = 0.3
/** A grant in line lasts so long until its process has taken it over. */
const FIRST_LEASE_MS = 5_000

test('W3: forty processes near and far, some slow, some leaving, one killed with the lock: nobody starves', async () => {
  const figures = await new Fleet(smallFleet).run()
  expect(figures).toMatchObject({ overlaps: 0, starved: 0, failures: [] })
  expect(figures.commandsPerSection).toBeLessThanOrEqual(COMMANDS)
  expect(figures.jainOfTurns).toBeGreaterThan(0.95)
  expect(figures.recoveryMs).toBeLessThanOrEqual(FIRST_LEASE_MS + 500)
})

test('W9: with one caller in each process, a lock that lingers by itself costs as little', async () => {
  const terms = { processes: 20, callers: 1, durationMs: 30_000, kills: 0 }
  const figures = await new Fleet({ ...smallFleet, ...terms }).run()
  expect(figures).toMatchObject({ overlaps: 0, starved: 0, failures: [] })
  expect(figures.commandsPerSection).toBeLessThanOrEqual(COMMANDS)
  expect(figures.jainOfTurns).toBeGreaterThan(0.9)
})

test('W3: of two hundred processes in line few look when the lock ends', async () => {
  const terms = { processes: 200, callers: 10, thinksMs: 10, durationMs: 60_000 }
  const figures = await new Fleet({ ...smallFleet, ...terms }).run()
  expect(figures).toMatchObject({ overlaps: 0, starved: 0, failures: [] })
  // If all of them did, it were 0.28.
  expect(figures.commandsPerSection).toBeLessThanOrEqual(0.2)
  expect(figures.recoveryMs).toBeLessThanOrEqual(FIRST_LEASE_MS + 500)
})
