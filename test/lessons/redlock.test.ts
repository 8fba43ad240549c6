/** What others got wrong about Redlock's arithmetic, shown over servers that are late, silent and away, in virtual time. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AcquireOptions, Hold } from '../../src/index.js'
import { runsOr } from '../properties/runs.js'
import { Assembly } from '../quorum/assembly.js'
import type { Conduct } from '../quorum/wayward-store.js'

/** What fractions of milliseconds are added up to. */
const ROUNDING_MS = 1e-6
/** The longest that one server's vote is waited for. */
const SERVER_TIMEOUT_MS = 200

// Reckoned here once more, and not with what is tested.
const majorityOf = (count: number): number => (count + 1) / 2
const wholeMs = (leaseMs: number): number => leaseMs - leaseMs / 100 - 2

const servers = fc.constantFrom(3, 5)
const conduct = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Conduct>('well') },
  { weight: 1, arbitrary: fc.constantFrom<Conduct>('gone', 'mute', 'frozen') },
)
const weather = servers.chain((count) =>
  fc.record({
    conducts: fc.array(conduct, { minLength: count, maxLength: count }),
    delaysMs: fc.array(fc.nat(60), { minLength: count, maxLength: count }),
  }),
)

/** An assembly in that weather. */
function assembleIn({ conducts, delaysMs }: { conducts: Conduct[]; delaysMs: number[] }): Assembly {
  const assembly = new Assembly(conducts.length)
  conducts.forEach((each, index) => {
    assembly.server(index).conduct = each
    assembly.server(index).delayMs = delaysMs[index] ?? 0
  })
  return assembly
}

/** The weather clears up. Before it does, whatever is still under way has arrived. */
async function clearUp(assembly: Assembly): Promise<void> {
  for (const server of assembly.servers) server.delayMs = 0
  await assembly.clock.advance(100)
  for (const server of assembly.servers) server.recover()
}

/** Another client's attempt, which may fail. */
const tried = (assembly: Assembly, terms: AcquireOptions): Promise<Hold | null> =>
  assembly
    .lock()
    .tryAcquire(terms)
    .catch(() => null)

test('node-redlock#296, #169, #283: lease − elapsed − drift, from the attempt that succeeded: never more, and most of it', async () => {
  const asked = fc.record({
    weather,
    leaseMs: fc.integer({ min: 1_000, max: 20_000 }),
    heldMs: fc.option(fc.integer({ min: 1_000, max: 60_000 }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ weather, leaseMs, heldMs }) => {
      const assembly = assembleIn(weather)
      const count = weather.conducts.length
      // Somebody else may have it first, for longer than the lease that is asked for.
      if (heldMs !== undefined) await assembly.outcome(tried(assembly, { leaseMs: heldMs }))
      // What is left of the lease when the call returns.
      const call = assembly.lock().acquire({ leaseMs, waitMs: 120_000 })
      const told = call.then(
        (hold) => ({ hold, remainingMs: hold.remainingMs() }),
        (error: unknown) => ({ error, remainingMs: 0 }),
      )
      const outcome = await assembly.outcome(told)
      if ('error' in outcome) {
        expect(weather.conducts.filter((each) => each === 'well').length).toBeLessThan(majorityOf(count))
        expect(outcome.error).toBeInstanceOf(Error)
      } else {
        const { remainingMs } = outcome
        const roundTrips = weather.delaysMs
          .filter((_, index) => weather.conducts[index] === 'well')
          .map((ms) => 2 * ms)
          .sort((one, other) => one - other)
        const elapsedMs = roundTrips[majorityOf(count) - 1] ?? Number.NaN
        expect(remainingMs).toBeLessThanOrEqual(wholeMs(leaseMs) - elapsedMs + ROUNDING_MS)
        expect(remainingMs).toBeGreaterThanOrEqual(wholeMs(leaseMs) - 3 * SERVER_TIMEOUT_MS)
      }
      await clearUp(assembly)
      await assembly.end()
    }),
    runsOr(60),
  )
})

test('redisson#624, #2172: while a holder believes in it, a majority of the servers has it down to that holder', async () => {
  await fc.assert(
    fc.asyncProperty(weather, fc.integer({ min: 400, max: 5_000 }), async (weather, leaseMs) => {
      const assembly = assembleIn(weather)
      const hold = await assembly.outcome(tried(assembly, { leaseMs }))
      // Others ask for it all the time, with short leases and long waits.
      const asking = [1, 2].map(() => tried(assembly, { leaseMs: 300, waitMs: 1_000 }))
      while (hold && hold.remainingMs() > 0) {
        const mine = (await assembly.votes()).filter((owner) => owner === hold.owner)
        expect(mine.length).toBeGreaterThanOrEqual(majorityOf(weather.conducts.length))
        await assembly.clock.advance(Math.min(hold.remainingMs(), 97))
      }
      await clearUp(assembly)
      await assembly.outcome(Promise.all(asking))
      await assembly.end()
    }),
    runsOr(60),
  )
})
