import { StoreError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Schedule } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { type Answer, concluded, countOf, failuresIn, majorityAnswered, repliesIn } from './answers.js'
import { elect } from './election.js'
import { type Failure, failuresOf, quorumFailure } from './failure.js'
import { stateOf } from './inspection.js'
import { majorityOf, sparesOf } from './majority.js'
import type { Member } from './member.js'
import { QuorumWatches } from './news.js'
import { ASIDE_MS } from './timing.js'

const GRANTED: AcquireReply = { outcome: 'granted' }
const LOST: AcquireReply = { outcome: 'lost' }
/** The least time that a server has to identify itself after a majority has. */
const LEAST_GRACE_MS = 10

/** A lock whose holder is the owner that holds it on a majority of the servers. Every answer is a majority's. */
export class QuorumLockPort implements LockPort {
  readonly inRounds = true
  readonly inParts = true
  readonly asideMs = ASIDE_MS
  readonly #watches: QuorumWatches
  readonly #majority: number
  readonly #spares: number
  #introduced: Promise<unknown> | undefined
  #longestLeaseMs = 0

  constructor(
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly terms: {
      readonly clientId: string
      readonly serverTimeoutMs: number
      readonly commandTimeoutMs: number
    },
  ) {
    this.#watches = new QuorumWatches(members, schedule, terms.clientId)
    this.#majority = majorityOf(members.length)
    this.#spares = sparesOf(members.length)
  }

  get watchesInOrder(): boolean {
    return this.members.every(({ port }) => port.watchesInOrder)
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    if (request.heldBefore > 0) {
      const asked = this.members.map(({ port }) => port.acquire(request))
      return await this.#agree('acquire', request.name, asked, this.#grantedOrLost)
    }
    this.#note(request.leaseMs)
    this.#introduced ??= this.#introduce()
    await this.#introduced
    const misuse = this.members.find((member) => member.misuse)?.misuse
    if (misuse) throw misuse
    return await elect(this.members, this.schedule, this.#watches, request, this.terms.serverTimeoutMs)
  }

  async abandon(request: AcquireRequest): Promise<void> {
    // Other calls of this client may wait: they keep its ticket. Without them it is that of the hold which ends here.
    const undo = this.#watches.stands(request.name) ? { ...request, ticket: 0 } : request
    // Failed releases continue in the background; the lock is free when it is free on a majority.
    const undone = this.members.map(({ backlog }) => backlog.undo(undo))
    const known = this.members.filter(({ backlog }) => backlog.trouble !== undefined)
    const patienceMs = known.length > this.#spares ? 0 : this.terms.commandTimeoutMs
    if (!(await withDeadline(this.schedule, patienceMs, majorityAnswered(undone)))) {
      throw quorumFailure('abandon', request.name, this.#away(request), this.members.length)
    }
  }

  async handOver(request: HandOverRequest): Promise<AcquireReply> {
    this.#note(request.leaseMs)
    const asked = this.members.map(({ port }) => port.handOver(request))
    const reply = await this.#agree('handOver', request.name, asked, this.#grantedOrLost)
    if (reply.outcome === 'lost') this.#giveBack(request, asked, isGranted)
    // On a server with an unknown outcome the previous owner may still have it.
    else this.#giveBack(this.#whatever(request.name, request.from), asked)
    return reply
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner, heldBefore } = request
    const asked = this.members.map(({ port }) => port.release(request))
    if (heldBefore === 1) this.#giveBack(this.#whatever(name, owner), asked)
    return await this.#agree('release', name, asked, (answers) => {
      if (countOf(answers, (reply) => reply === 'not-owner') >= this.#majority) return 'not-owner'
      if (countOf(answers, (reply) => reply === 'still-held') >= this.#majority) return 'still-held'
      const freed = repliesIn(answers).filter((reply) => reply === 'released' || typeof reply === 'object')
      if (freed.length < this.#majority) return undefined
      const others = Math.max(...freed.map((reply) => (typeof reply === 'object' ? reply.others : 0)))
      return others > 0 ? { others } : 'released'
    })
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    for (const { leaseMs } of requests) this.#note(leaseMs)
    const byMember = this.members.map(({ port }) => port.renew(requests))
    return requests.map(({ name }, index) => {
      const asked = byMember.flatMap((answers) => answers[index] ?? [])
      return this.#agree('renew', name, asked, (answers) => {
        if (countOf(answers, (renewed) => renewed) >= this.#majority) return true
        return countOf(answers, (renewed) => !renewed) >= this.#majority ? false : undefined
      })
    })
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#watches.open(name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const asked = this.members.map(({ port }) => port.inspect(name))
    return await this.#agree('inspect', name, asked, (answers) => stateOf(name, answers))
  }

  async countWatchers(name: string): Promise<number | undefined> {
    const asked = this.members.map(({ port }) => port.countWatchers(name))
    const counts = await this.#agree('countWatchers', name, asked, (answers) =>
      answers.every(({ state }) => state !== 'pending') && repliesIn(answers).length >= this.#majority
        ? repliesIn(answers).filter((count) => count !== undefined)
        : undefined,
    )
    return counts.length > 0 ? Math.max(...counts) : undefined
  }

  async forceUnlock(name: string): Promise<boolean> {
    const asked = this.members.map(({ port }) => port.forceUnlock(name))
    return await this.#agree('forceUnlock', name, asked, (answers) => {
      if (answers.some(({ state }) => state === 'pending')) return undefined
      if (failuresIn(answers) > this.#spares) return undefined
      const freed = countOf(answers, (held) => held)
      // If a majority may have ended it, the lock has ended.
      return freed > 0 && freed + failuresIn(answers) >= this.#majority
    })
  }

  /** At least one server of any majority knows a held lock. */
  async *list(pattern: string): AsyncIterable<LockState> {
    const seen = new Set<string>()
    const failures: Failure[] = []
    for (const { label, port } of this.members) {
      try {
        for await (const { name } of port.list(pattern)) seen.add(name)
      } catch (error) {
        failures.push({ label, error })
        if (failures.length > this.#spares) {
          throw quorumFailure('list', undefined, failures, this.members.length)
        }
      }
    }
    for (const name of seen) {
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  close(): void {
    this.#watches.close()
  }

  readonly #grantedOrLost = (answers: readonly Answer<AcquireReply>[]): AcquireReply | undefined => {
    if (countOf(answers, isGranted) >= this.#majority) return GRANTED
    return countOf(answers, (reply) => !isGranted(reply)) >= this.#majority ? LOST : undefined
  }

  /** A majority's answer, by `conclude`; if there is none, an error that names the servers that failed. */
  async #agree<Reply, Result>(
    command: string,
    name: string,
    asked: readonly Promise<Reply>[],
    conclude: (answers: readonly Answer<Reply>[]) => Result | undefined,
  ): Promise<Result> {
    let last: readonly Answer<Reply>[] = []
    const result = await concluded(asked, (answers) => {
      last = answers
      return conclude(answers)
    })
    if (result !== undefined) return result
    throw quorumFailure(command, name, failuresOf(this.members, last), this.members.length)
  }

  /**
   * Identifies all servers once, so that the first call reports a server that the application has given twice. Such a server would not vote
   * twice in any case, so servers slower than a majority get as long again as the majority took, and no longer.
   */
  async #introduce(): Promise<void> {
    const looks = this.members.map((member) => member.look())
    const all = Promise.allSettled(looks)
    const { serverTimeoutMs } = this.terms
    const { clock } = this.schedule
    const begunAt = clock.now()
    await withDeadline(this.schedule, serverTimeoutMs, majorityAnswered(looks))
    const graceMs = Math.max(clock.now() - begunAt, LEAST_GRACE_MS)
    await withDeadline(this.schedule, Math.min(graceMs, serverTimeoutMs), all)
  }

  #away({ name, owner }: AcquireRequest): Failure[] {
    return this.members
      .filter(({ backlog }) => backlog.pending(name, owner))
      .map(({ label, backlog }) => ({
        label,
        error: backlog.trouble ?? new StoreError('timeout', 'abandon', { transient: true }),
      }))
  }

  /**
   * Has each server give back what the request may have left there: those that do not answer, and those of whose answers `left` says so. A
   * server that has answered otherwise needs no repetition.
   */
  #giveBack<Reply>(
    request: AcquireRequest,
    asked: readonly Promise<Reply>[],
    left: (reply: Reply) => boolean = () => false,
  ): void {
    for (const [index, { backlog }] of this.members.entries()) {
      const sent = asked[index]
      if (sent) void backlog.giveBack(request, sent.then(left))
    }
  }

  #note(leaseMs: number): void {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseMs)
  }

  /** All holds that the owner may have of that lock, for as long as it may have them. */
  #whatever(name: string, owner: Owner): AcquireRequest {
    return { name, owner, heldBefore: 0, leaseMs: this.#longestLeaseMs }
  }
}

function isGranted({ outcome }: AcquireReply): boolean {
  return outcome === 'granted'
}
