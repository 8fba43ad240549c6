import { LockUpgradeError } from '../../base/errors/upgrade-error.js'
import type { Owner } from '../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { modeOf, ownerOf } from '../line/place.js'
import {
  type Member,
  type ReadWriteBody,
  ReadWriteLock,
  readWriteLocks,
  type Side,
} from './read-write-lock.js'
import type { RowClient } from './row-client.js'
import { type Answer, RowLine } from './row-line.js'
import { RowPort } from './row-port.js'
import type { Draft } from './rows.js'
import { tieBy } from './ties.js'

/** One side of the read-write locks of one client: what the scripts `lua/rw-*.lua` do. */
export class RowReadWritePort extends RowPort<ReadWriteBody, ReadWriteLock> implements FencedPort {
  readonly bound = true
  readonly #line: RowLine

  constructor(
    client: RowClient,
    private readonly side: Side,
  ) {
    super(client, readWriteLocks)
    this.#line = new RowLine(client, readWriteLocks.keyspace, (name, place) =>
      this.#undo(name, ownerOf(place), 0),
    )
  }

  get line(): RowLine | undefined {
    return this.client.inbox && this.#line
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return await this.#line.acquire(this.#member(request.owner), request, () => this.#ask(request))
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    if (heldBefore === 0) this.#line.left(name, this.#member(owner))
    await this.#undo(name, owner, heldBefore)
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    return await this.change(request.name, (lock) => this.#release(lock, request))
  }

  get tie() {
    return tieBy(this.client.ties, (name, owner, tie) =>
      this.change(name, (lock) => lock.tie(this.#member(owner), tie)),
    )
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs }) =>
      this.change(name, (lock) => {
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
    return await this.look(name, (lock) => {
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

  async forceUnlock(name: string): Promise<boolean> {
    return await this.change(name, (lock) => lock.drop(this.#mine(lock).map(([member]) => member)))
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    return await this.look(name, (lock) => {
      const hold = lock.find(this.#member(owner))
      return { held: hold !== undefined, lastFence: hold ? BigInt(hold.fence) : lock.lastFence }
    })
  }

  async #ask(request: AcquireRequest): Promise<Answer> {
    const { name, owner } = request
    const { reply, ...times } = await this.change(name, (lock, { now, askedAt }) => ({
      reply: this.#acquire(lock, request),
      now,
      askedAt,
    }))
    if (reply === 'upgrade') throw new LockUpgradeError(name, owner)
    return { ...times, reply }
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
    await this.change(name, (lock) => {
      lock.line.leave(this.#member(owner))
      this.#release(lock, { name, owner, heldBefore: heldBefore + 1, repeated: true })
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

  protected lockIn(name: string, draft: Draft<ReadWriteBody>): ReadWriteLock {
    return new ReadWriteLock(name, draft)
  }

  /** The processes in line, for whatever they wait. */
  protected waiting({ line }: ReadWriteLock): number {
    return line.processes
  }

  protected passOn(lock: ReadWriteLock): void {
    lock.passOn()
  }

  #member(owner: Owner): Member {
    return `${this.side}:${owner}`
  }
}
