import type { Schedule } from '../core/schedule.js'
import { StoreError } from '../errors.js'
import type { AcquireReply, AcquireRequest } from '../store.js'
import { Ballot } from './ballot.js'
import { quorumFailure } from './failure.js'
import type { Member } from './member.js'
import type { QuorumWatches } from './news.js'
import { upTo } from './patience.js'
import { goesFirst, type Verdict } from './tally.js'
import { splitPauseMs, tieTimeoutMs, validityMs, voteTimeoutMs } from './timing.js'

const GRANTED: AcquireReply = { outcome: 'granted' }

/** Takes the lock by a majority of votes, within a part of its lease; or holds nothing. */
export async function elect(
  members: readonly Member[],
  schedule: Schedule,
  watches: QuorumWatches,
  request: AcquireRequest,
  serverTimeoutMs: number,
): Promise<AcquireReply> {
  const { clock } = schedule
  const { name, leaseMs } = request
  const startedAt = clock.now()
  const elapsedMs = (): number => clock.now() - startedAt
  const timeoutMs = voteTimeoutMs(leaseMs, serverTimeoutMs)
  const ballot = new Ballot(members, schedule, request)
  const attempt = watches.attempt(name)
  let verdict = await ballot.ask([...members.keys()], timeoutMs)
  // The pause between two questions is about the time it takes the others to give their votes back.
  const roundTripMs = elapsedMs()
  for (let round = 1; verdict.outcome === 'split' && goesFirst(ballot.votes); round += 1) {
    const pauseMs = roundTripMs * (0.5 + Math.random()) + round
    if (elapsedMs() + pauseMs >= tieTimeoutMs(leaseMs, serverTimeoutMs)) break
    await new Promise<void>((resolve) => schedule.at(clock.now() + pauseMs, resolve))
    verdict = await ballot.ask(ballot.refusals, timeoutMs)
  }
  if (verdict.outcome === 'granted' && validityMs(leaseMs, elapsedMs()) > 0) {
    ballot.close()
    attempt.granted()
    return GRANTED
  }
  const { grants } = ballot
  await upTo(schedule, timeoutMs, ballot.giveBack())
  const pauseMs = splitPauseMs(attempt.splitsBefore, Math.random())
  attempt.refused(grants, verdict.outcome === 'held' ? 0 : pauseMs)
  return refusal(verdict, pauseMs)

  function refusal(reason: Verdict, jitterMs: number): AcquireReply {
    switch (reason.outcome) {
      case 'held':
        return {
          outcome: 'busy',
          remainingMs: Math.max(reason.freeAt - clock.now(), 0),
          holder: reason.holder,
        }
      case 'split':
        return { outcome: 'busy', remainingMs: jitterMs, holder: reason.holder }
      case 'granted':
        throw new StoreError('timeout', 'acquire', {
          lockName: name,
          transient: true,
          hint: `A majority voted, but only after the lease of ${leaseMs} ms was used up.`,
        })
      default: {
        const failures = ballot.votes.flatMap((vote, index) =>
          vote.state === 'failed' ? [{ label: members[index]?.label ?? '', error: vote.error }] : [],
        )
        throw quorumFailure('acquire', name, failures, members.length)
      }
    }
  }
}
