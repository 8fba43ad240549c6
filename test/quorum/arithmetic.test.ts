import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { majorityLasts, majorityOf, sparesOf, whenMajority } from '../../src/stores/quorum/majority.js'
import { goesFirst, tally, type Vote } from '../../src/stores/quorum/tally.js'
import {
  splitAgainMs,
  splitPauseMs,
  TIE_ROUNDS,
  tiePauseMs,
  tieTimeoutMs,
  validityMs,
  voteTimeoutMs,
} from '../../src/stores/quorum/timing.js'
import { runsOr } from '../properties/runs.js'

const servers = fc.integer({ min: 1, max: 6 }).map((half) => 2 * half + 1)
const times = servers.chain((count) =>
  fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: count, maxLength: count }),
)
const owners = ['client:1', 'client:2', 'client:3'] as const
const vote: fc.Arbitrary<Vote> = fc.oneof(
  fc.constant<Vote>({ state: 'pending' }),
  fc.constant<Vote>({ state: 'granted' }),
  fc.constant<Vote>({ state: 'failed', error: 'away' }),
  fc
    .tuple(fc.constantFrom(...owners), fc.integer({ min: 1, max: 100_000 }))
    .map(([holder, freeAt]): Vote => ({ state: 'busy', holder, freeAt })),
)
const ballots = servers.chain((count) => fc.array(vote, { minLength: count, maxLength: count }))

const countOf = (votes: readonly Vote[], state: Vote['state']): number =>
  votes.filter((each) => each.state === state).length

describe('majorities', () => {
  test('any two have a server in common, and one fewer is none', () => {
    fc.assert(
      fc.property(servers, (count) => {
        expect(2 * majorityOf(count)).toBeGreaterThan(count)
        expect(2 * (majorityOf(count) - 1)).toBeLessThanOrEqual(count)
        expect(majorityOf(count) + sparesOf(count)).toBe(count)
        // What is said to those who pass an even count.
        expect(sparesOf(count + 1)).toBe(sparesOf(count))
      }),
      runsOr(200),
    )
  })

  test('whenMajority, majorityLasts: a majority has reached its time then, and still has it until then; no sooner, and no later', () => {
    fc.assert(
      fc.property(times, (each) => {
        const count = (fits: (time: number) => boolean): number => each.filter(fits).length
        const [majority, when, until] = [majorityOf(each.length), whenMajority(each), majorityLasts(each)]
        expect(count((time) => time <= when)).toBeGreaterThanOrEqual(majority)
        expect(count((time) => time < when)).toBeLessThan(majority)
        expect(count((time) => time >= until)).toBeGreaterThanOrEqual(majority)
        expect(count((time) => time > until)).toBeLessThan(majority)
      }),
      runsOr(500),
    )
  })
})

describe('tally', () => {
  test('granted exactly by a majority; open only while an answer could change it', () => {
    fc.assert(
      fc.property(ballots, (votes) => {
        const { outcome } = tally(votes)
        expect(outcome === 'granted').toBe(countOf(votes, 'granted') >= majorityOf(votes.length))
        if (countOf(votes, 'pending') === 0) expect(outcome).not.toBe('open')
        if (outcome === 'unavailable') {
          expect(countOf(votes, 'failed')).toBeGreaterThan(sparesOf(votes.length))
        }
      }),
      runsOr(1_000),
    )
  })

  test('what was decided stays so, whatever the servers that are still silent say', () => {
    fc.assert(
      fc.property(ballots, vote, (votes, late) => {
        const { outcome } = tally(votes)
        if (outcome === 'open') return
        expect(tally(votes.map((each) => (each.state === 'pending' ? late : each))).outcome).toBe(outcome)
      }),
      runsOr(1_000),
    )
  })

  test('of two clients that see the same votes at most one is granted, and at most one goes first', () => {
    const holders = servers.chain((count) =>
      fc.array(fc.constantFrom('client:1', 'client:2', undefined), { minLength: count, maxLength: count }),
    )
    fc.assert(
      fc.property(holders, (holding) => {
        const seenBy = (me: string): Vote[] =>
          holding.map((holder): Vote => {
            if (holder === undefined) return { state: 'failed', error: 'away' }
            return holder === me ? { state: 'granted' } : { state: 'busy', holder: owners[0], freeAt: 1 }
          })
        const [one, other] = [seenBy('client:1'), seenBy('client:2')]
        expect(tally(one).outcome === 'granted' && tally(other).outcome === 'granted').toBe(false)
        expect(goesFirst(one) && goesFirst(other)).toBe(false)
      }),
      runsOr(500),
    )
  })

  const busy = (freeAt: number): Vote => ({ state: 'busy', holder: 'client:2', freeAt })

  test.each<[string, number, Vote[]]>([
    [
      'a holder that may have the votes of silent servers counts as holding',
      700,
      [busy(700), { state: 'failed', error: 'away' }, { state: 'granted' }],
    ],
    [
      'the lock may be free when a majority is: not with the first lease that ends, nor the last',
      200,
      [busy(100), busy(300), busy(200)],
    ],
  ])('%s', (_, freeAt, votes) => {
    expect(tally(votes)).toEqual({ outcome: 'held', holder: 'client:2', freeAt })
  })
})

describe('timing (redisson#624, #2172, #4050, #1160: arithmetic of waits and leases)', () => {
  const leases = fc.integer({ min: 10, max: 2 ** 40 })

  test('validity: the lease, less what has passed, less the drift; never more than the servers give', () => {
    expect(validityMs(10_000, 0)).toBe(10_000 - 102)
    fc.assert(
      fc.property(leases, fc.integer({ min: 0, max: 100_000 }), (leaseMs, elapsedMs) => {
        const left = validityMs(leaseMs, elapsedMs)
        expect(left).toBeLessThan(leaseMs - elapsedMs)
        expect(left).toBeCloseTo(leaseMs - elapsedMs - leaseMs / 100 - 2, 1)
      }),
      runsOr(500),
    )
  })

  test('whatever one server takes, most of the lease is left', () => {
    fc.assert(
      fc.property(leases, fc.integer({ min: 1, max: 10_000 }), (leaseMs, serverTimeoutMs) => {
        const spentMs = voteTimeoutMs(leaseMs, serverTimeoutMs) * 2 + tieTimeoutMs(leaseMs, serverTimeoutMs)
        expect(voteTimeoutMs(leaseMs, serverTimeoutMs)).toBeLessThanOrEqual(serverTimeoutMs)
        expect(spentMs).toBeLessThan(leaseMs * 0.601)
        expect(validityMs(leaseMs, spentMs)).toBeGreaterThan(0)
      }),
      runsOr(500),
    )
  })

  test('pauses after split votes: spread from next to nothing to all of a span that grows, up to a limit', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.double({ min: 0, max: 1, noNaN: true }), (splits, random) => {
        const pauseMs = splitPauseMs(splits, random)
        expect(pauseMs).toBeGreaterThanOrEqual(1)
        expect(pauseMs).toBeLessThanOrEqual(251)
        expect(splitPauseMs(splits, 0)).toBe(1)
        expect(splitPauseMs(splits + 1, 1)).toBeGreaterThanOrEqual(splitPauseMs(splits, 1))
      }),
      runsOr(500),
    )
  })
})

test('H22: asking again is no polling: a few questions at growing pauses, and then long ones', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (roundTripMs, random) => {
        const pauses = Array.from({ length: TIE_ROUNDS }, (_, index) =>
          tiePauseMs(index + 1, roundTripMs, random),
        )
        // The first gives the others the time to give back, or half of it at the least.
        expect(pauses[0]).toBeGreaterThanOrEqual((roundTripMs + 1) / 2)
        pauses.slice(1).forEach((pause, index) => {
          expect(pause).toBeCloseTo(2 * (pauses[index] ?? 0))
        })
      },
    ),
    runsOr(200),
  )
  const again = Array.from({ length: 40 }, (_, times) => splitAgainMs(times))
  expect(again[0]).toBe(250)
  expect(again.at(-1)).toBe(5_000)
  expect(again).toEqual([...again].sort((one, other) => one - other))
})
