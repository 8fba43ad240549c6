import { LockUpgradeError } from '../../base/errors/upgrade-error.js'
import type { Owner } from '../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockPort,
  LockState,
  News,
  Polls,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { modeOf, ownerOf } from '../line/place.js'
import { type Member, ReadWriteLock, readWriteLocks, type Side } from './read-write-lock.js'
import type { RowClient } from './row-client.js'
import { type Answer, RowLine } from './row-line.js'

/** One side of the read-write locks of one client: what the scripts `lua/rw-*.lua` do. */
export class RowReadWritePort implements FencedPort {
  readonly bound = true
  readonly watchesInOrder = false
  readonly #line: RowLine

  constructor(
    private readonly client: RowClient,
    private readonly side: Side,
  ) {
    this.#line = new RowLine(client, readWriteLocks.keyspace, (name, place) =>
      this.#undo(name, ownerOf(place), 0),
    )
  }

  get line(): RowLine | undefined {
    return this.client.inbox && this.#line
  }

  get polls(): Polls | undefined {
    return this.client.polls
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, heldBefore } = request
    const member = this.#member(owner)
    const givingBack =
      heldBefore === 0 ? this.client.isBack(readWriteLocks.keyspace, name, member) : undefined
    if (givingBack) await givingBack
    return (
      this.line?.takeOver(member, request) ??
      (await this.#line.ask(member, request, () => this.#ask(request)))
    )
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    if (heldBefore === 0) this.#line.left(name, this.#member(owner))
    await this.#undo(name, owner, heldBefore)
  }

  /** Processes never hand over a lock that several owners may hold. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    return await this.#change(request.name, (lock) => {
      const reply = this.#release(lock, request)
      lock.passOn()
      return reply
    })
  }

  get tie(): LockPort['tie'] {
    const { ties } = this.client
    if (!ties) return undefined
    return async (name, owner, tx) => {
      const tie = await ties.tie(tx, name)
      return await this.#change(name, (lock) => {
        const member = this.#member(owner)
        if (lock.find(member)) lock.tie(member, tie)
        return lock.find(member) !== undefined
      })
    }
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs }) =>
      this.#change(name, (lock) => {
        const hold = lock.find(this.#member(owner))
        if (hold) hold.endsAt = Math.max(hold.endsAt, lock.now + leaseMs)
        return hold !== undefined
      }),
    )
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#line.watch(name, this.side, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    return await this.#look(name, (lock) => {
      const mine = this.#mine(lock)
      const tied = lock.tied.filter((member) => modeOf(member) === this.side)
      return {
        name,
        owners: [
          ...mine.map(([member, { count, since }]) => ({
            owner: ownerOf(member),
            holds: count,
            heldSince: since,
          })),
          ...tied.map((member) => ({ owner: ownerOf(member), holds: 0 })),
        ],
        remainingMs: Math.max(0, ...mine.map(([, { endsAt }]) => endsAt - lock.now)),
      }
    })
  }

  /** Processes in line, for whatever they wait. */
  async countWatchers(name: string): Promise<number> {
    return await this.#look(name, (lock) => lock.line.processes)
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.#change(name, (lock) => {
      const members = this.#mine(lock).map(([member]) => member)
      const freed = lock.drop(members)
      lock.passOn()
      return freed
    })
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for await (const name of this.client.names(readWriteLocks.keyspace, pattern)) {
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    return await this.#look(name, (lock) => {
      const hold = lock.find(this.#member(owner))
      return { held: hold !== undefined, lastFence: hold ? BigInt(hold.fence) : lock.lastFence }
    })
  }

  async #ask(request: AcquireRequest): Promise<Answer> {
    const { name, owner } = request
    const answer = await this.client.change(readWriteLocks, name, (draft) => {
      const lock = new ReadWriteLock(name, draft)
      const reply = this.#acquire(lock, request)
      lock.passOn()
      return { reply, now: draft.now, askedAt: draft.askedAt }
    })
    const { reply } = answer
    if (reply === 'upgrade') throw new LockUpgradeError(name, owner)
    return { ...answer, reply }
  }

  #acquire(lock: ReadWriteLock, request: AcquireRequest): AcquireReply | 'upgrade' {
    const { name, owner, heldBefore, leaseMs, waits } = request
    const member = this.#member(owner)
    const held = lock.find(member)
    if (held) {
      const until = lock.now + leaseMs
      // The first hold has exactly its own lease, unlike a grant in line. A nested one never shortens the time left.
      const first = heldBefore === 0 && held.count === 1
      held.endsAt = first ? until : Math.max(held.endsAt, until)
      held.count = Math.max(held.count, heldBefore + 1)
      lock.line.settled(owner)
      return { outcome: 'granted', fence: BigInt(held.fence) }
    }
    if (heldBefore > 0) return { outcome: 'lost' }
    if (this.side === 'w' && lock.find(`r:${owner}`)) {
      lock.line.leave(member)
      return 'upgrade'
    }
    const downgrades = this.side === 'r' && lock.find(`w:${owner}`) !== undefined
    const next = lock.line.advance(member)
    if (downgrades || (next && lock.admits(member))) {
      const { fence } = lock.grant(member, leaseMs)
      lock.line.leave(member)
      return { outcome: 'granted', fence: BigInt(fence) }
    }
    const inTheWay = lock.members.find(([each]) => modeOf(each) === 'w') ?? lock.members[0]
    const head = lock.line.head ?? member
    const obstacleMs = lock.obstacleMs(head)
    // Kept by a transaction, nobody knows for how long.
    const tiedTo = lock.tiedTo(head)
    const busy = {
      outcome: 'busy',
      remainingMs: tiedTo === undefined ? obstacleMs : Infinity,
      holder: inTheWay ? ownerOf(inTheWay[0]) : tiedTo,
      heldSince: inTheWay?.[1].since,
      ...(tiedTo !== undefined && { againMs: obstacleMs }),
    } as const
    if (!waits || !this.client.inbox) return busy
    // The first in line looks again and again, for all.
    const { firstLeaseMs } = this.client
    const word = this.client.wordOf(readWriteLocks.keyspace, name)
    const endsInMs = tiedTo !== undefined && head !== member ? Infinity : obstacleMs
    return { ...busy, againMs: lock.line.stand(member, endsInMs, firstLeaseMs, word) }
  }

  async #undo(name: string, owner: Owner, heldBefore: number): Promise<void> {
    await this.#change(name, (lock) => {
      lock.line.leave(this.#member(owner))
      this.#release(lock, { name, owner, heldBefore: heldBefore + 1, repeated: true })
      lock.passOn()
    })
  }

  #release(lock: ReadWriteLock, { owner, heldBefore, repeated }: ReleaseRequest): ReleaseReply {
    const hold = lock.find(this.#member(owner))
    const after = heldBefore - 1
    if (!hold) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after === 0) {
      lock.drop([this.#member(owner)])
      return 'released'
    }
    hold.count = Math.min(hold.count, after)
    return 'still-held'
  }

  #mine(lock: ReadWriteLock): ReadWriteLock['members'] {
    return lock.members.filter(([member]) => modeOf(member) === this.side)
  }

  #look<Result>(name: string, read: (lock: ReadWriteLock) => Result): Promise<Result> {
    return this.client.look(readWriteLocks, name, (draft) => read(new ReadWriteLock(name, draft)))
  }

  #change<Result>(name: string, change: (lock: ReadWriteLock) => Result): Promise<Result> {
    return this.client.change(readWriteLocks, name, (draft) => change(new ReadWriteLock(name, draft)))
  }

  #member(owner: Owner): Member {
    return `${this.side}:${owner}`
  }
}
