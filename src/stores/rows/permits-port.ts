import type { Owner } from '../../base/identity/owner.js'
import type { PermitsPort } from '../../port/kind-ports.js'
import { withoutQuarantine } from '../../port/lease.js'
import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  GrantedReply,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
import { leadsOut, outOfRange } from '../../port/permit-range.js'
import { ownerOf, type Place } from '../line/place.js'
import { once } from './answered-requests.js'
import { addressOf } from './letters.js'
import { type Entries, Permits, type PermitsBody } from './permits.js'
import type { RowClient } from './row-client.js'
import { type Answer, RowLine } from './row-line.js'
import { RowPort } from './row-port.js'
import type { Draft } from './rows.js'
import type { Shape } from './shape.js'

/** Semaphores of either kind: what the scripts `lua/permits-*.lua` do. */
export abstract class RowPermitsPort extends RowPort<PermitsBody, Permits> implements PermitsPort {
  readonly #line: RowLine

  constructor(
    client: RowClient,
    shape: Shape<PermitsBody>,
    private readonly entries: Entries,
  ) {
    super(client, shape)
    this.#line = new RowLine(client, shape.keyspace, (name, place) =>
      this.change(name, (semaphore) => leave(semaphore, place)),
    )
  }

  get line(): StoreLine | undefined {
    return this.client.inbox && this.#line
  }

  /** A place is for so many permits as its call wants. */
  get placePer(): 'call' | undefined {
    return this.line && 'call'
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const reply = await this.#line.acquire(placeOf(request), request, () => this.#ask(request))
    const { refusals, inbox } = this.client
    if (reply.outcome === 'granted') refusals.granted(this.#address(request.name))
    else if (request.waits && !inbox) refusals.add(this.#address(request.name))
    return reply
  }

  async abandon(request: AcquireRequest): Promise<void> {
    const { name } = request
    const place = placeOf(request)
    this.#line.left(name, place)
    await this.change(name, (semaphore) => leave(semaphore, place))
  }

  async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const given = await this.change(name, (semaphore) => giveBack(semaphore, owner))
    if (given === 0) return repeated ? 'released' : 'not-owner'
    // Polling calls hear nothing: those of other processes get their turn if this one does not go on at once.
    return this.client.refusals.isTurnOver(this.#address(name)) ? { others: 1 } : 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    return requests.map(({ name, owner, leaseMs }) =>
      this.change(name, (semaphore) => {
        const takers = semaphore.takenBy(owner)
        for (const taker of takers) semaphore.extend(taker, leaseMs)
        if (takers.length === 0 || semaphore.lastsMs >= leaseMs) return takers.length > 0
        return withoutQuarantine(semaphore.lastsMs, this.client.quarantineMs)
      }),
    )
  }

  /** Each owner has one place, so news of a place in whatever mode is for that owner's call. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#line.watch(name, undefined, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    return await this.look(name, (semaphore) => {
      const owners = Object.entries(semaphore.body.taken).flatMap(([taker, { permits }]) => {
        const owner = this.entries.ownerOf(taker)
        return owner === undefined ? [] : [{ owner, holds: permits }]
      })
      return { name, owners, remainingMs: owners.length > 0 ? semaphore.firstEndMs : 0 }
    })
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.change(name, (semaphore) => {
      const takers = Object.keys(semaphore.body.taken)
      semaphore.giveBack(takers)
      return takers.length > 0
    })
  }

  async trySetPermits(name: string, permits: number, request: string, ttlMs?: number): Promise<boolean> {
    return await this.changeOnce(name, request, (semaphore) => {
      if (semaphore.isSet) return false
      semaphore.create(permits, ttlMs)
      return true
    })
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    await this.add(name, delta, request, false)
  }

  async availablePermits(name: string): Promise<number> {
    return await this.look(name, ({ available }) => available)
  }

  protected add(name: string, delta: number, request: string, onlyIfSet: boolean): Promise<boolean> {
    return this.changeOnce(name, request, (semaphore) => {
      if (!semaphore.isSet && onlyIfSet) return false
      if (leadsOut(semaphore.permits, delta)) throw outOfRange(name, delta)
      if (!semaphore.isSet) semaphore.create(0)
      semaphore.available += delta
      return true
    })
  }

  /** @param since when its lease began, on the lease clock, or earlier */
  protected take(semaphore: Permits, request: AcquireRequest, since: number): GrantedReply | BusyReply {
    const { owner, permits = 1, leaseMs } = request
    const { line } = semaphore
    const place = placeOf(request)
    line.settled(owner)
    const mine = semaphore.takenBy(owner)
    // The lease of a grant in line suits no hold in particular: the first request of its owner sets the right one. It shortens no other.
    for (const taker of mine)
      if (semaphore.leaseMs(taker) <= this.client.firstLeaseMs) semaphore.endIn(taker, leaseMs)
      else semaphore.extend(taker, leaseMs)
    if (mine.length === 0) {
      const next = line.advance(place) || (semaphore.mayPass && !line.has(place))
      if (!semaphore.isSet || !next || semaphore.available < permits) return this.#busy(semaphore, request)
      semaphore.take(owner, permits, leaseMs)
      line.leave(place)
    }
    const { available, lastsMs, firstEndMs: fullForMs } = semaphore
    const room = available >= 1 ? { room: available } : { room: 0, fullForMs }
    const granted = lastsMs < leaseMs && { granted: { since, leaseMs: lastsMs - this.client.quarantineMs } }
    return { outcome: 'granted', ...room, ...granted }
  }

  /** The outcome of the request, the same if it comes twice. */
  protected changeOnce(
    name: string,
    request: string,
    change: (semaphore: Permits) => boolean,
  ): Promise<boolean> {
    return this.change(
      name,
      (semaphore, { now }) => once(semaphore.body.answered, now, request, () => change(semaphore)) === true,
    )
  }

  protected lockIn(name: string, draft: Draft<PermitsBody>): Permits {
    return new Permits(this.shape, this.entries, name, draft)
  }

  protected waiting({ line }: Permits): number {
    return line.processes
  }

  protected passOn(semaphore: Permits): void {
    semaphore.passOn()
  }

  #ask(request: AcquireRequest): Promise<Answer> {
    const sentAt = this.client.clock.now()
    return this.change(request.name, (semaphore, { now, askedAt }) => ({
      reply: this.take(semaphore, request, askedAt ?? sentAt),
      now,
      askedAt,
    }))
  }

  #busy(semaphore: Permits, request: AcquireRequest): BusyReply {
    const { firstEndMs: remainingMs, line } = semaphore
    const busy = { outcome: 'busy', remainingMs, holder: undefined } as const
    if (!request.waits || !this.line) return busy
    const word = this.client.wordOf(this.shape.keyspace, request.name)
    return { ...busy, againMs: line.stand(placeOf(request), remainingMs, this.client.firstLeaseMs, word) }
  }

  #address(name: string): string {
    return addressOf(this.shape.keyspace, name)
  }
}

function placeOf({ owner, permits = 1 }: AcquireRequest): Place {
  return `${permits}:${owner}`
}

function giveBack(semaphore: Permits, owner: Owner): number {
  semaphore.line.settled(owner)
  return semaphore.giveBack(semaphore.takenBy(owner))
}

/** Takes the place out of the line, and gives back what its owner has. */
function leave(semaphore: Permits, place: Place): void {
  semaphore.line.leave(place)
  giveBack(semaphore, ownerOf(place))
}
