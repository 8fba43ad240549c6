import type { Owner } from '../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  GrantedReply,
  HandOverRequest,
  LockSeen,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { clientOf, ownerOf, type Place } from '../line/place.js'
import { Entrance } from './entrance.js'
import { type ExclusiveBody, ExclusiveLock, exclusiveLocks, type Mode, modes } from './exclusive-lock.js'
import type { RowClient } from './row-client.js'
import { type Answer, LingeringRowLine, replyIn } from './row-line.js'
import { RowPort } from './row-port.js'
import type { Draft } from './rows.js'
import { sinceBefore } from './shape.js'
import { TIED_LOOK_MS, tieBy } from './ties.js'

/** The exclusive locks of one client, in one mode: what the scripts `lua/acquire.lua`, `release.lua` and so on do. */
export class RowLockPort extends RowPort<ExclusiveBody, ExclusiveLock> implements FencedPort {
  readonly #line: LingeringRowLine | undefined
  readonly #entrance = new Entrance<Answer>()

  /** @param inLine whether waiters stand in the row's line. Otherwise they try at each announced release, or poll. */
  constructor(
    client: RowClient,
    private readonly mode: Mode,
    inLine: boolean,
  ) {
    super(client, exclusiveLocks)
    const giveBack = (name: string, place: Place): Promise<void> =>
      this.change(name, (lock) => this.#leave(lock, ownerOf(place)))
    this.#line = inLine ? new LingeringRowLine(client, exclusiveLocks.keyspace, giveBack) : undefined
  }

  /** A getter, since a session may learn only from the server whether it has push. */
  get line(): LingeringRowLine | undefined {
    return this.client.inbox && this.#line
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, leaseMs, heldBefore } = request
    const { express, refusals } = this.client
    for (const mode of heldBefore === 0 ? modes : []) {
      const givingBack = this.client.isBack(exclusiveLocks.keyspace, name, `${mode}:${owner}`)
      if (givingBack) await givingBack
    }
    const takenOver = this.line?.takeOver(this.#place(owner), request)
    if (takenOver) return takenOver
    const queues = request.waits && this.client.inbox
    // A polling call only reads the row until the lock is free, so that it neither writes nor locks the row.
    if (
      express &&
      heldBefore === 0 &&
      !queues &&
      !request.lingers &&
      request.ticket === undefined &&
      !refusals.has(name)
    ) {
      const fence = await express.take({ name, owner, leaseMs })
      if (fence !== undefined) return granted(this.mode === 'f' ? fence : undefined)
    }
    const reply = await this.#ask(request)
    if (reply.outcome === 'granted') refusals.granted(name)
    else if (request.waits && !queues) refusals.add(name)
    return reply
  }

  async abandon({ name, owner, heldBefore, ticket }: AcquireRequest): Promise<void> {
    if (heldBefore === 0) this.#line?.left(name, this.#place(owner))
    await this.change(name, (lock) => {
      if (heldBefore === 0) {
        if (ticket === undefined) lock.tickets.leave(clientOf(owner), lock.vacant)
        else lock.tickets.turn(clientOf(owner), 1)
        this.#leave(lock, owner)
      } else this.#release(lock, { name, owner, heldBefore: heldBefore + 1, repeated: true })
    })
  }

  override async handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    return await this.change(name, (lock): AcquireReply => {
      if (lock.owner === owner) {
        // Who repeats the request counts the lease from then.
        lock.keep(lock.holds, Math.max(lock.now + lock.remainingMs, lock.now + leaseMs))
        return granted(this.#lastFence(lock))
      }
      if (lock.owner !== from) return { outcome: 'lost' }
      const fence = lock.pass(owner, this.mode)
      lock.line.settled(from)
      if (lock.keep(1, lock.now + leaseMs)) lock.listeners.announce({ became: 'free' })
      return granted(fence)
    })
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner, heldBefore } = request
    if (heldBefore === 1 && (await this.client.express?.free(name, owner, this.line?.hears(name)))) {
      // Polling calls hear nothing: other processes get their turn if this one pauses.
      return this.client.refusals.isTurnOver(name) ? { others: 1 } : 'released'
    }
    return await this.change(name, (lock) => this.#release(lock, request))
  }

  get tie() {
    return tieBy(this.client.ties, (name, owner, tie) => this.change(name, (lock) => lock.tie(owner, tie)))
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    if (this.client.express) return this.client.express.renew(requests)
    return requests.map(({ name, owner, leaseMs }) =>
      this.change(name, (lock) => {
        if (lock.owner !== owner) return false
        lock.keep(lock.holds, Math.max(lock.now + lock.remainingMs, lock.now + leaseMs))
        return true
      }),
    )
  }

  async setTicket(name: string, client: string, ticket: number): Promise<void> {
    await this.change(name, (lock) => lock.tickets.set(client, ticket))
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    if (this.line) return this.line.watch(name, this.mode, onNews)
    return this.client.listen(name, exclusiveLocks, onNews)
  }

  async inspect(name: string, asks = false): Promise<LockSeen> {
    const lingers = ({ lingers, owner }: ExclusiveLock): boolean =>
      lingers && owner !== undefined && clientOf(owner) !== this.client.id
    const seen = await this.look(name, (lock) => ({
      name,
      owners: ownersOf(lock),
      remainingMs: lock.remainingMs,
      ...(lingers(lock) && { lingers: true }),
    }))
    if (asks && seen.lingers) await this.change(name, (lock) => lingers(lock) && lock.ask())
    return seen
  }

  /** Announces it in any case, so that the former holder learns of it too. */
  async forceUnlock(name: string): Promise<boolean> {
    return await this.change(name, (lock) => {
      const { owner } = lock
      const freed = lock.free()
      // That client looks whether it still has the lock.
      if (owner !== undefined) lock.tell(clientOf(owner), { lookInMs: 0 })
      if (freed) lock.listeners.announce({ became: 'free' })
      return freed
    })
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    return await this.look(name, (lock) => ({ held: lock.owner === owner, lastFence: lock.lastFence }))
  }

  async #ask(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, waits, heldBefore } = request
    const change = (): Promise<Answer> =>
      this.change(name, (lock, { now, askedAt }) => ({ reply: this.#acquire(lock, request), now, askedAt }))
    const { line } = this
    if (!line) return replyIn(await change())
    const { inbox, express } = this.client
    const place = this.#place(owner)
    const stands = waits && heldBefore === 0 && inbox && express?.stand && !line.stands(name, place)
    const enter = (): Promise<Answer> => this.#entrance.enter(name, () => this.#stand(name, place), change)
    return await line.ask(place, request, stands ? enter : change)
  }

  async #stand(name: string, place: Place): Promise<Answer | undefined> {
    const { express, firstLeaseMs } = this.client
    const standing = await express?.stand?.({ name, place, firstLeaseMs, word: this.#word(name) })
    if (!standing) return undefined
    const { holder, since, endsAt, now, askedAt } = standing
    const remainingMs = endsAt - now
    const heldSince = sinceBefore(now, since)
    const againMs = Math.min(remainingMs, firstLeaseMs)
    const busy = { outcome: 'busy', remainingMs, againMs, holder, heldSince } as const
    return { reply: busy, now, askedAt }
  }

  #acquire(lock: ExclusiveLock, request: AcquireRequest): AcquireReply {
    const { owner, heldBefore, leaseMs, lingers } = request
    if (lock.owner === owner) return this.#askAgain(lock, request)
    if (heldBefore > 0) return { outcome: 'lost' }
    const place = this.#place(owner)
    const alone = lock.line.empty
    if (lock.vacant) lock.line.advance(place)
    const ticket = this.#ticket(lock, request)
    const othersMs =
      lock.vacant && request.ticket !== undefined
        ? lock.tickets.turnOfAnother(clientOf(owner), request.waits === true)
        : 0
    if (!lock.vacant || othersMs > 0)
      return { ...this.#busy(lock, request), ...ticket, ...(othersMs > 0 && { remainingMs: othersMs }) }
    lock.grant(place, leaseMs)
    lock.tickets.turn(clientOf(owner), -1)
    lock.line.leave(place)
    if (!lingers || !alone) return granted(this.#lastFence(lock))
    lock.mayLinger()
    return { ...granted(this.#lastFence(lock)), lingers }
  }

  /** The ticket of a request for a vote. */
  #ticket(lock: ExclusiveLock, { owner, waits, ticket }: AcquireRequest): { readonly ticket?: number } {
    return waits && ticket !== undefined && this.client.inbox
      ? { ticket: lock.tickets.keep(clientOf(owner), ticket, lock.remainingMs) }
      : {}
  }

  /** The owner has it: for one more hold, by a repeated request, or by a grant in line. */
  #askAgain(lock: ExclusiveLock, { owner, heldBefore, leaseMs }: AcquireRequest): AcquireReply {
    const fence = this.mode !== 'f' ? undefined : (lock.lastFence ?? lock.mint())
    const endsAt = lock.now + leaseMs
    // The first hold has exactly its own lease, unlike a grant in line. A nested one never shortens the time left (rule L2).
    const first = heldBefore === 0 && lock.holds === 1
    const until = first ? endsAt : Math.max(lock.now + lock.remainingMs, endsAt)
    lock.keep(Math.max(lock.holds, heldBefore + 1), until)
    lock.line.settled(owner)
    return granted(fence)
  }

  #busy(lock: ExclusiveLock, { name, owner, waits }: AcquireRequest): BusyReply {
    const lingers = lock.ask()
    // Only a transaction keeps it, nobody knows for how long.
    const tied = lock.owner === undefined
    const busy = {
      outcome: 'busy' as const,
      remainingMs: tied ? Infinity : lock.remainingMs,
      holder: lock.owner ?? lock.tiedTo,
      heldSince: lock.heldSince,
      ...(tied && { againMs: TIED_LOOK_MS }),
      ...(lingers && { lingers }),
    }
    if (!waits || !this.client.inbox) return busy
    if (this.line) {
      const { firstLeaseMs } = this.client
      const place = this.#place(owner)
      // The first in line looks again and again, for all.
      const endsInMs = tied && (lock.line.head ?? place) !== place ? Infinity : lock.obstacleMs
      return { ...busy, againMs: lock.line.stand(place, endsInMs, firstLeaseMs, this.#word(name)) }
    }
    // The waiters of a spin lock do not listen: they poll.
    if (this.client.letters.awaits(exclusiveLocks.keyspace, name)) lock.listeners.add(this.client.id)
    return busy
  }

  /** Takes the owner out of the line, and gives back what it has. */
  #leave(lock: ExclusiveLock, owner: Owner): void {
    lock.line.leave(this.#place(owner))
    if (lock.owner === owner) this.#free(lock)
    // The place behind it may be the next now.
    if (lock.owner === undefined) lock.line.advance()
  }

  /** Returns how many other clients it tells. */
  #free(lock: ExclusiveLock): number {
    lock.free()
    if (lock.owner !== undefined) return 0
    const turnOf = lock.tickets.callNext()
    return lock.listeners.announce(
      { became: 'free', ...(turnOf !== undefined && { turnOf }) },
      this.client.id,
    )
  }

  #release(lock: ExclusiveLock, { owner, heldBefore, repeated }: ReleaseRequest): ReleaseReply {
    const after = heldBefore - 1
    if (lock.owner !== owner) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after > 0) {
      lock.keep(Math.min(lock.holds, after), lock.now + lock.remainingMs)
      return 'still-held'
    }
    lock.tickets.drop(clientOf(owner))
    const others = this.#free(lock)
    return others > 0 ? { others } : 'released'
  }

  protected lockIn(name: string, draft: Draft<ExclusiveBody>): ExclusiveLock {
    return new ExclusiveLock(name, draft)
  }

  protected waiting({ waiting }: ExclusiveLock): number {
    return waiting
  }

  protected passOn({ line }: ExclusiveLock): void {
    line.callHead()
  }

  #place(owner: Owner): Place<Mode> {
    return `${this.mode}:${owner}`
  }

  /** The word that proves a grant in the line of that lock to this client. */
  #word(name: string): string {
    return this.client.wordOf(exclusiveLocks.keyspace, name)
  }

  #lastFence(lock: ExclusiveLock): bigint | undefined {
    return this.mode === 'f' ? lock.lastFence : undefined
  }
}

/** The owner; one for whom only a transaction keeps the lock has no holds. */
function ownersOf({ owner, holds, heldSince, tiedTo }: ExclusiveLock): LockSeen['owners'] {
  if (owner !== undefined) return [{ owner, holds, ...(heldSince !== undefined && { heldSince }) }]
  return tiedTo === undefined ? [] : [{ owner: tiedTo, holds: 0 }]
}

function granted(fence: bigint | undefined): GrantedReply {
  return fence === undefined ? { outcome: 'granted' } : { outcome: 'granted', fence }
}
