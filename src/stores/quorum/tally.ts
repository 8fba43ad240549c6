import type { Owner } from '../../base/identity/owner.js'
import { majorityOf, sparesOf, whenMajority } from './majority.js'

/** An owner that others have seen to hold, and since when. */
interface Seen {
  readonly holder: Owner | undefined
  readonly heldSince?: number | undefined
}

/** One server's answer to a request for the lock. */
export type Vote =
  | { readonly state: 'pending' }
  | { readonly state: 'granted' }
  | ({ readonly state: 'busy'; readonly freeAt: number; readonly ticket?: number | undefined } & Seen)
  | { readonly state: 'failed'; readonly error: unknown }

export type Verdict =
  /** Missing answers will decide. */
  | { readonly outcome: 'open' }
  | { readonly outcome: 'granted' }
  /** One owner has, or may have, a majority. */
  | ({ readonly outcome: 'held'; readonly freeAt: number } & Seen)
  /** As far as known, no owner has a majority. */
  | ({ readonly outcome: 'split'; readonly freeAt: number } & Seen)
  /** Too few servers answered to decide anything. */
  | { readonly outcome: 'unavailable' }

/** What the caller waits for. */
export type Busy = Extract<Verdict, { readonly freeAt: number }>

const OPEN: Verdict = { outcome: 'open' }
const GRANTED: Verdict = { outcome: 'granted' }
const UNAVAILABLE: Verdict = { outcome: 'unavailable' }
const SILENT: Vote = { state: 'failed', error: undefined }

/**
 * The result of the votes. A server that failed may have voted for any owner: a holder that would have a majority with its help counts as
 * holding the lock, because only its release can help.
 */
export function tally(votes: readonly Vote[]): Verdict {
  const majority = majorityOf(votes.length)
  const count = (state: Vote['state']): number => votes.filter((vote) => vote.state === state).length
  if (count('granted') >= majority) return GRANTED
  if (count('failed') > sparesOf(votes.length)) return UNAVAILABLE
  const leader = leaderOf(votes)
  const seen = { holder: leader.owner, heldSince: leader.heldSince, freeAt: freeAt(votes) }
  if (leader.votes >= majority) return { outcome: 'held', ...seen }
  if (count('pending') > 0) return OPEN
  if (leader.votes > 0 && leader.votes + count('failed') >= majority) return { outcome: 'held', ...seen }
  return { outcome: 'split', ...seen }
}

/** The result of the votes if no more answers come. */
export function tallySoFar(votes: readonly Vote[]): Verdict {
  return tally(votes.map((vote) => (vote.state === 'pending' ? SILENT : vote)))
}

/**
 * Whether a client with split votes goes on asking for the missing ones, while the others give theirs back: the client that has the vote of
 * the first server in the list that answered. So a tie ends without a new start if the clients list the servers in the same
 * order and see the same answers; otherwise the pauses end it.
 */
export function goesFirst(votes: readonly Vote[]): boolean {
  return votes.find(({ state }) => state === 'granted' || state === 'busy')?.state === 'granted'
}

interface Leader {
  readonly owner: Owner | undefined
  readonly votes: number
  readonly heldSince?: number
}

function leaderOf(votes: readonly Vote[]): Leader {
  const counts = new Map<Owner | undefined, number>()
  let leader: Leader = { owner: undefined, votes: 0 }
  for (const vote of votes) {
    if (vote.state !== 'busy') continue
    const reached = (counts.get(vote.holder) ?? 0) + 1
    counts.set(vote.holder, reached)
    if (reached > leader.votes) leader = { owner: vote.holder, votes: reached }
  }
  // Each server has its own clock. One that voted again later, after a restart, says nothing of the first vote.
  const times = votes.flatMap((vote) =>
    vote.state === 'busy' && vote.holder === leader.owner ? (vote.heldSince ?? []) : [],
  )
  return times.length === 0 ? leader : { ...leader, heldSince: Math.min(...times) }
}

/** When a majority may be free. For a server that has not answered, the latest time of the others counts. */
function freeAt(votes: readonly Vote[]): number {
  const known = votes.map((vote) => (vote.state === 'busy' ? vote.freeAt : -Infinity))
  const last = Math.max(...known)
  return whenMajority(
    votes.map(({ state }, index) =>
      state === 'failed' || state === 'pending' ? last : (known[index] ?? last),
    ),
  )
}
