import type {
  AcquireReply,
  AcquireRequest,
  News,
  ReleaseReply,
  ReleaseRequest,
  Watch,
} from '../../../port/lock-port.js'
import { listIn, ownerIn, timeIn, timeLeft, wholeIn } from '../scripts/replies.js'
import { ticket, vote, voteReturn } from '../scripts/scripts.generated.js'
import { ReentrantLockPort } from './reentrant-lock.js'

const GRANTED: AcquireReply = { outcome: 'granted' }

/** One server's vote for a lock that a majority of several servers gives, with tickets that say whom they prefer. */
export class VotePort extends ReentrantLockPort {
  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    if (request.ticket === undefined || request.heldBefore > 0) return await super.acquire(request)
    const starting = this.starting()
    if (starting) await starting
    const { name, owner, leaseMs, waits } = request
    const args = waits ? [owner, leaseMs, request.ticket] : [owner, leaseMs]
    return await this.commands.run(vote, name, args, voteIn)
  }

  override async abandon(request: AcquireRequest): Promise<void> {
    const { name, owner, heldBefore } = request
    if (heldBefore > 0) return await super.abandon(request)
    const args = request.ticket === undefined ? [owner] : [owner, 1]
    await this.commands.free(voteReturn, name, args, () => undefined)
  }

  override release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner, heldBefore, repeated } = request
    if (heldBefore > 1) return super.release(request)
    const { breaks } = this.link
    return this.commands.free(voteReturn, name, [owner], (told) => {
      if (told > 0) return this.released(name, told - 1)
      return this.foundNone(repeated, breaks)
    })
  }

  readonly setTicket = (name: string, client: string, number: number): Promise<number> =>
    this.commands.run(ticket, name, [client, number], (reply) => wholeIn(reply, 0, 1))

  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.parts.channels.hear(this.commands.releaseChannel(name), (text) => {
      const turnOf = text?.split(' ')[1]
      onNews(turnOf === undefined ? undefined : { turnOf })
    })
  }
}

/** Reads `-`, or {left, holder, ticket, since}. */
function voteIn(reply: unknown): AcquireReply {
  if (reply === '-') return GRANTED
  // A nil at the end is none of the list.
  const [left, holder, number, since] = listIn(reply, 3, 4)
  const known = wholeIn(number, 0)
  return {
    outcome: 'busy',
    remainingMs: timeLeft(left),
    holder: ownerIn(holder),
    heldSince: timeIn(since),
    ...(known > 0 && { ticket: known }),
  }
}
