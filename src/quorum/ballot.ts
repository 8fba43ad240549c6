import { StoreError } from '../errors/errors.js'
import type { AcquireReply, AcquireRequest } from '../ports/lock-port.js'
import type { Schedule } from '../time/schedule.js'
import type { Member } from './member.js'
import { tally, tallySoFar, type Verdict, type Vote } from './tally.js'

const PENDING: Vote = { state: 'pending' }
const GRANTED: Vote = { state: 'granted' }

/** One request for the lock, put to all servers at once. What it took in vain is given back everywhere. */
export class Ballot {
  readonly votes: Vote[]
  readonly #sent: Array<Promise<AcquireReply> | undefined>
  #closed = false
  /** Told of each vote that comes. */
  #onVote: (() => void) | undefined

  constructor(
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly request: AcquireRequest,
    /** Told with each answer that decides nothing what all come to so far: its caller may have no time for the rest. */
    private readonly onUndecided: (soFar: Verdict) => void = () => undefined,
  ) {
    this.votes = members.map(() => PENDING)
    this.#sent = members.map(() => undefined)
  }

  /** Asks those servers for their votes, and waits until the matter is decided, the time is over or the caller has left. */
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

  /** Those that have answered that another holds the lock. */
  get refusals(): number[] {
    return this.votes.flatMap(({ state }, index) => (state === 'busy' ? [index] : []))
  }

  /** Those that have voted for this request. */
  get grants(): number[] {
    return this.votes.flatMap(({ state }, index) => (state === 'granted' ? [index] : []))
  }

  /** No vote is asked for any more: what is on its way belongs to the lock, if it was granted. */
  close(): void {
    this.#closed = true
  }

  /** Gives back what was voted, and what may have been. Settles when those that have voted for it have it back. */
  async giveBack(): Promise<void> {
    this.close()
    const known: Promise<void>[] = []
    this.members.forEach(({ backlog }, index) => {
      const sent = this.#sent[index]
      if (!sent) return
      const work = backlog.giveBack(
        this.request,
        sent.then(({ outcome }) => outcome === 'granted'),
      )
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
    // What is to be undone there would undo this too. Once the ballot is closed the vote is wanted no more.
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
  return { state: 'busy', holder: reply.holder, freeAt: now + reply.remainingMs }
}
