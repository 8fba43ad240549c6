import { StoreError } from '../../base/errors/errors.js'
import type { Schedule } from '../../base/time/schedule.js'
import type { AcquireReply, AcquireRequest } from '../../port/lock-port.js'
import type { Member } from './member.js'
import { tally, tallySoFar, type Verdict, type Vote } from './tally.js'

const PENDING: Vote = { state: 'pending' }
const GRANTED: Vote = { state: 'granted' }

/** One request for the lock, sent to all servers at once. If it fails, all its votes go back. */
export class Ballot {
  readonly votes: Vote[]
  readonly #sent: Array<Promise<AcquireReply> | undefined>
  #closed = false
  /** Called with each vote. */
  #onVote: (() => void) | undefined

  constructor(
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly request: AcquireRequest,
    /** Called after each answer that decides nothing, with the result so far: the caller may have no time for the rest. */
    private readonly onUndecided: (soFar: Verdict) => void = () => undefined,
  ) {
    this.votes = members.map(() => PENDING)
    this.#sent = members.map(() => undefined)
  }

  /** Asks those servers for their votes, and waits for a decision, the end of the time, or the caller to leave. */
  async ask(indices: readonly number[], timeoutMs: number): Promise<Verdict> {
    for (const index of indices) this.votes[index] = PENDING
    const decided = new Promise<void>((resolve) => {
      const { left } = this.request.caller ?? {}
      const end = (): void => {
        left?.removeEventListener('abort', end)
        this.schedule.cancel(alarm)
        resolve()
      }
      const look = (): void => {
        if (tally(this.votes).outcome !== 'open') end()
        else this.onUndecided(tallySoFar(this.votes))
      }
      const alarm = this.schedule.at(this.schedule.clock.now() + timeoutMs, () => {
        this.votes.forEach((vote, index) => {
          if (vote === PENDING) this.votes[index] = { state: 'failed', error: this.#late(timeoutMs) }
        })
        end()
      })
      left?.addEventListener('abort', end)
      this.#onVote = look
    })
    for (const index of indices) this.#cast(index)
    this.#onVote?.()
    await decided
    this.#onVote = undefined
    return tally(this.votes)
  }

  /** The servers whose votes are so. */
  serversWith(wanted: Vote['state']): number[] {
    return this.votes.flatMap(({ state }, index) => (state === wanted ? [index] : []))
  }

  /** The known tickets of its client, by server. */
  get tickets(): ReadonlyMap<number, number> {
    return new Map(
      this.votes.flatMap((vote, index) =>
        vote.state === 'busy' && vote.ticket !== undefined ? [[index, vote.ticket] as const] : [],
      ),
    )
  }

  /** Asks for no more votes. After a grant, votes under way belong to the lock. */
  close(): void {
    this.#closed = true
  }

  /** Gives back votes, and possible votes. Settles when the servers that have voted have theirs back. */
  async giveBack(): Promise<void> {
    this.close()
    const known: Promise<void>[] = []
    this.members.forEach(({ backlog }, index) => {
      const sent = this.#sent[index]
      if (!sent) return
      const granted = sent.then(({ outcome }) => outcome === 'granted')
      const work = backlog.giveBack(this.request, granted)
      if (this.votes[index]?.state === 'granted') known.push(work)
    })
    await Promise.all(known)
  }

  #cast(index: number): void {
    const member = this.members[index]
    if (!member) return
    const { name, owner } = this.request
    const astray = member.backlog.pending(name, owner)
    const hopeless = member.barred ?? (astray && member.backlog.trouble)
    if (hopeless !== undefined) {
      this.votes[index] = { state: 'failed', error: hopeless }
      return
    }
    // An undo request in the backlog there would undo this vote too. After the ballot is closed, the vote has no use.
    const sent = astray
      ? astray.then(() => (this.#closed ? undefined : this.#send(member, index)))
      : this.#send(member, index)
    Promise.resolve(sent).then(
      (reply) => reply && this.#count(index, voteOf(reply, this.schedule.clock.now())),
      (error: unknown) => this.#count(index, { state: 'failed', error }),
    )
  }

  #send(member: Member, index: number): Promise<AcquireReply> {
    const sent = member.vote(this.request)
    this.#sent[index] = sent
    return sent
  }

  #count(index: number, vote: Vote): void {
    if (this.#closed || this.votes[index] !== PENDING) return
    this.votes[index] = vote
    this.#onVote?.()
  }

  #late(timeoutMs: number): StoreError {
    return new StoreError('timeout', 'acquire', {
      lockName: this.request.name,
      transient: true,
      hint: `No vote within ${Math.round(timeoutMs)} ms (serverTimeoutMs, or a quarter of the lease).`,
    })
  }
}

function voteOf(reply: AcquireReply, now: number): Vote {
  if (reply.outcome === 'granted') return GRANTED
  // A first hold is never lost: there was none before.
  if (reply.outcome === 'lost') return { state: 'busy', holder: undefined, freeAt: now }
  const { holder, heldSince, ticket } = reply
  return { state: 'busy', holder, heldSince, ticket, freeAt: now + reply.remainingMs }
}
