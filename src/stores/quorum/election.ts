import { StoreError } from '../../base/errors/errors.js'
import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import type { Schedule } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import type { AcquireReply, AcquireRequest, BusyReply } from '../../port/lock-port.js'
import { Ballot } from './ballot.js'
import { failuresOf, quorumFailure } from './failure.js'
import { sparesOf } from './majority.js'
import type { Member } from './member.js'
import type { QuorumWatches } from './news.js'
import { type Busy, goesFirst, type Verdict } from './tally.js'
import {
  freePauseMs,
  splitAgainMs,
  splitPauseMs,
  TIE_ROUNDS,
  tiePauseMs,
  tieTimeoutMs,
  validityMs,
  voteTimeoutMs,
} from './timing.js'

const GRANTED: AcquireReply = { outcome: 'granted' }
/** The answer for a caller that has left. */
const NOT_WANTED: AcquireReply = { outcome: 'busy', remainingMs: 0, holder: undefined }

/** Takes the lock by a majority of votes, within a part of its lease; or holds nothing. Answers its caller in time. */
export async function elect(
  members: readonly Member[],
  schedule: Schedule,
  watches: QuorumWatches,
  request: AcquireRequest,
  serverTimeoutMs: number,
): Promise<AcquireReply> {
  const { clock } = schedule
  const { name, leaseMs, caller } = request
  const { waitsUntil = Infinity, left } = caller ?? {}
  const startedAt = clock.now()
  const elapsedMs = (): number => clock.now() - startedAt
  const timeoutMs = voteTimeoutMs(leaseMs, serverTimeoutMs)
  const attempt = watches.attempt(request)
  const hear = (soFar: Verdict): void => {
    if (soFar.outcome === 'held' || soFar.outcome === 'split') caller?.hears(busy(soFar))
  }
  const { stands: waits, ticket } = attempt
  const ballot = new Ballot(members, schedule, { ...request, waits, ticket }, hear)
  let verdict = await ballot.ask([...members.keys()], timeoutMs)
  const roundTripMs = elapsedMs()
  // After the last question: time for its answer, and for giving votes back.
  const tieEndsAt = Math.min(
    startedAt + tieTimeoutMs(leaseMs, serverTimeoutMs),
    waitsUntil - 3 * roundTripMs - 1,
  )
  for (let round = 1; round <= TIE_ROUNDS; round += 1) {
    hear(verdict)
    if (verdict.outcome !== 'split' || !goesFirst(ballot.votes)) break
    const pauseMs = tiePauseMs(round, roundTripMs, Math.random())
    if (clock.now() + pauseMs >= tieEndsAt) break
    await pause(schedule, pauseMs, left)
    if (left?.aborted) break
    verdict = await ballot.ask(ballot.serversWith('busy'), timeoutMs)
  }
  if (!left?.aborted && verdict.outcome === 'granted' && validityMs(leaseMs, elapsedMs()) > 0) {
    ballot.close()
    attempt.granted()
    return GRANTED
  }
  const grants = ballot.serversWith('granted')
  const patienceMs = Math.max(Math.min(timeoutMs, waitsUntil - 1 - clock.now()), 0)
  await withDeadline(schedule, patienceMs, ballot.giveBack())
  const since = caller?.since ?? startedAt
  const waitedMs = (): number => clock.now() - since
  if (waits) attempt.waits(ballot.tickets)
  attempt.refused(grants, {
    split: verdict.outcome !== 'held',
    afterSplits: (splits) => splitPauseMs(splits, Math.random(), waitedMs()),
    whenFree: () => freePauseMs(Math.random(), waitedMs()),
  })
  return left?.aborted ? NOT_WANTED : refusal(verdict)

  function busy({ outcome, holder, heldSince, freeAt }: Busy): BusyReply {
    const remainingMs = Math.max(freeAt - clock.now(), 0)
    if (outcome === 'held') return { outcome: 'busy', remainingMs, holder, heldSince }
    return { outcome: 'busy', remainingMs, holder, heldSince, againMs: splitAgainMs(attempt.splitsBefore) }
  }

  function refusal(reason: Verdict): AcquireReply {
    switch (reason.outcome) {
      case 'held':
      case 'split':
        return busy(reason)
      case 'granted':
        throw new ShortLeaseError(name, leaseMs)
      default: {
        const failures = failuresOf(members, ballot.votes)
        const failure = quorumFailure('acquire', name, failures, members.length)
        // Silent servers had as long as the lease allows, which is less than for other requests.
        const silent = failures.filter(
          ({ error }) => error instanceof StoreError && error.reason === 'timeout',
        )
        const short =
          timeoutMs < serverTimeoutMs && failures.length - silent.length <= sparesOf(members.length)
        throw short ? new ShortLeaseError(name, leaseMs, failure.cause) : failure
      }
    }
  }
}

/** Lets time pass, but no longer than until the caller has left. */
function pause(schedule: Schedule, ms: number, left: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      schedule.cancel(alarm)
      left?.removeEventListener('abort', end)
      resolve()
    }
    const alarm = schedule.at(schedule.clock.now() + ms, end)
    if (left?.aborted) end()
    else left?.addEventListener('abort', end)
  })
}
