import type { Owner } from '../../base/identity/owner.js'
import type { PermitsPort } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  Polls,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { once } from './answered-requests.js'
import { Permits, type PermitsBody } from './permits.js'
import type { RowClient } from './row-client.js'
import type { Shape } from './shape.js'

/** Semaphores of either kind: what the scripts `lua/semaphore-*.lua` and `lua/permits-*.lua` do. */
export abstract class RowPermitsPort implements PermitsPort {
  readonly watchesInOrder = false

  constructor(
    protected readonly client: RowClient,
    private readonly shape: Shape<PermitsBody>,
  ) {}

  /** Under what an owner's permits are written down, with how many each. */
  protected abstract entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number>
  /** Those of an owner that are written down. */
  protected abstract takersOf(owner: Owner, semaphore: Permits): readonly string[]
  /** As what a taker is shown. */
  protected abstract ownerOf(taker: string): Owner | undefined
  /** The client of a taker, where it can be told. */
  protected abstract clientOfTaker(taker: string): string | undefined

  get polls(): Polls | undefined {
    return this.client.polls
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { client, shape } = this
    const { name } = request
    return await this.change(name, (semaphore) => {
      const reply = this.take(semaphore, request)
      // Only a client that listens is listed. A call may leave before it listens, and nothing would take its client off the list.
      if (reply.outcome === 'busy' && client.letters.awaits(shape.keyspace, name))
        semaphore.listeners.add(client.id)
      return reply
    })
  }

  async abandon({ name, owner }: AcquireRequest): Promise<void> {
    await this.release({ name, owner, heldBefore: 1, repeated: true })
  }

  /** What each owner has is its own. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    return await this.change(name, (semaphore): ReleaseReply => {
      const scarce = semaphore.available < 1
      const takers = this.takersOf(owner, semaphore)
      if (takers.length === 0) return repeated ? 'released' : 'not-owner'
      semaphore.giveBack(takers)
      const others = semaphore.announce(this.client.id)
      return scarce && others > 0 ? { others } : 'released'
    })
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs }) =>
      this.change(name, (semaphore) => {
        const takers = this.takersOf(owner, semaphore)
        for (const taker of takers) semaphore.extend(taker, leaseMs)
        return takers.length > 0
      }),
    )
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.client.listen(name, this.shape, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    return await this.look(name, (semaphore) => {
      const owners = Object.entries(semaphore.taken).flatMap(([taker, { permits }]) => {
        const owner = this.ownerOf(taker)
        return owner === undefined ? [] : [{ owner, holds: permits }]
      })
      return { name, owners, remainingMs: owners.length > 0 ? semaphore.firstEndMs : 0 }
    })
  }

  async countWatchers(name: string): Promise<number | undefined> {
    const count = await this.look(name, ({ listeners }) => listeners.count)
    return this.client.counted(count)
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.change(name, (semaphore) => {
      const takers = Object.keys(semaphore.taken)
      semaphore.giveBack(takers)
      if (takers.length > 0) semaphore.announce()
      return takers.length > 0
    })
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for await (const name of this.client.names(this.shape.keyspace, pattern)) {
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  async trySetPermits(name: string, permits: number, request: string, ttlMs?: number): Promise<boolean> {
    return await this.change(name, (semaphore) =>
      this.answer(semaphore, request, () => {
        if (semaphore.isSet) return false
        semaphore.create(permits, ttlMs)
        semaphore.announce()
        return true
      }),
    )
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    await this.add(name, delta, request, false)
  }

  async availablePermits(name: string): Promise<number> {
    return await this.look(name, ({ available }) => available)
  }

  protected add(name: string, delta: number, request: string, onlyIfSet: boolean): Promise<boolean> {
    return this.change(name, (semaphore) =>
      this.answer(semaphore, request, () => {
        if (!semaphore.isSet && onlyIfSet) return false
        if (!semaphore.isSet) semaphore.create(0)
        semaphore.available += delta
        if (delta > 0) semaphore.announce()
        return true
      }),
    )
  }

  protected take(semaphore: Permits, { owner, permits = 1, leaseMs }: AcquireRequest): AcquireReply {
    if (!this.#take(semaphore, owner, permits, leaseMs))
      return { outcome: 'busy', remainingMs: semaphore.firstEndMs, holder: undefined }
    const { available } = semaphore
    if (available >= 1) return { outcome: 'granted', room: available }
    return { outcome: 'granted', room: 0, fullForMs: semaphore.firstEndMs }
  }

  /** What the request comes to, whether it comes once or twice. */
  protected answer(semaphore: Permits, request: string, carryOut: () => boolean): boolean {
    return once(semaphore.answered, semaphore.now, request, carryOut) === true
  }

  protected change<Result>(name: string, change: (semaphore: Permits) => Result): Promise<Result> {
    return this.client.change(this.shape, name, (draft) =>
      change(new Permits(this.shape, name, draft, (taker) => this.clientOfTaker(taker))),
    )
  }

  protected look<Result>(name: string, read: (semaphore: Permits) => Result): Promise<Result> {
    return this.client.look(this.shape, name, (draft) =>
      read(new Permits(this.shape, name, draft, (taker) => this.clientOfTaker(taker))),
    )
  }

  #take(semaphore: Permits, owner: Owner, permits: number, leaseMs: number): boolean {
    const before = this.takersOf(owner, semaphore)
    for (const taker of before) semaphore.extend(taker, leaseMs)
    if (before.length > 0) return true
    if (!semaphore.isSet || semaphore.available < permits) return false
    for (const [taker, each] of this.entriesOf(owner, permits)) semaphore.take(taker, each, leaseMs)
    return true
  }
}
