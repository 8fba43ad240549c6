import type { Owner } from '../identity/owner.js'
import type { PermitsPort } from '../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../ports/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import { MemoryWatches } from './announcements.js'
import { isBoolean } from './answered-requests.js'
import type { MemorySemaphore, MemorySemaphores } from './semaphores.js'

/** Semaphores of either kind in memory: what the scripts in `lua/` do. */
export abstract class MemoryPermitsPort implements PermitsPort {
  readonly watchesInOrder = true
  readonly #watches: MemoryWatches

  constructor(protected readonly semaphores: MemorySemaphores) {
    this.#watches = new MemoryWatches(semaphores.announcements)
  }

  /** Under what an owner's permits are written down, with how many each. */
  protected abstract entriesOf(owner: Owner, permits: number): ReadonlyMap<string, number>
  /** Those of an owner that are written down. */
  protected abstract takersOf(owner: Owner, semaphore: MemorySemaphore): readonly string[]
  /** As what a taker is shown. */
  protected abstract ownerOf(taker: string): Owner | undefined

  async acquire({ name, owner, leaseMs, permits = 1 }: AcquireRequest): Promise<AcquireReply> {
    const semaphore = this.semaphores.find(name)
    const endsAt = this.now() + leaseMs
    if (!semaphore || !this.#take(semaphore, owner, permits, endsAt)) {
      return { outcome: 'busy', remainingMs: this.#firstEndMs(semaphore), holder: undefined }
    }
    const { available } = semaphore
    if (available >= 1) return { outcome: 'granted', room: available }
    return { outcome: 'granted', room: 0, fullForMs: this.#firstEndMs(semaphore) }
  }

  async abandon({ name, owner }: AcquireRequest): Promise<void> {
    await this.release({ name, owner, heldBefore: 1, repeated: true })
  }

  async handOver(_request: HandOverRequest): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const semaphore = this.semaphores.find(name)
    const scarce = semaphore !== undefined && semaphore.available < 1
    const permits = semaphore?.giveBack(this.takersOf(owner, semaphore)) ?? 0
    if (!semaphore || permits === 0) return repeated ? 'released' : 'not-owner'
    const others = this.semaphores.announce(name, semaphore) - this.#watches.count(name)
    return scarce && others > 0 ? { others } : 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const semaphore = this.semaphores.find(name)
      const takers = semaphore ? this.takersOf(owner, semaphore) : []
      for (const taker of takers) extend(semaphore, taker, this.now() + leaseMs)
      return takers.length > 0
    })
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#watches.watch(name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const semaphore = this.semaphores.find(name)
    const owners = [...(semaphore?.taken ?? [])].flatMap(([taker, { permits }]) => {
      const owner = this.ownerOf(taker)
      return owner === undefined ? [] : [{ owner, holds: permits }]
    })
    return { name, owners, remainingMs: owners.length > 0 ? this.#firstEndMs(semaphore) : 0 }
  }

  async countWatchers(name: string): Promise<number> {
    return this.semaphores.announcements.count(name)
  }

  async forceUnlock(name: string): Promise<boolean> {
    const semaphore = this.semaphores.find(name)
    if (!semaphore || semaphore.giveBack([...semaphore.taken.keys()]) === 0) return false
    this.semaphores.announce(name, semaphore)
    return true
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const name of this.semaphores.names()) {
      const state = matchesGlob(pattern, name) ? await this.inspect(name) : undefined
      if (state && state.owners.length > 0) yield state
    }
  }

  async trySetPermits(name: string, permits: number, request: string, ttlMs?: number): Promise<boolean> {
    return this.semaphores.answered.once(request, isBoolean, () => {
      if (this.semaphores.find(name)) return false
      this.semaphores.announce(name, this.semaphores.create(name, permits, ttlMs))
      return true
    })
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    this.add(name, delta, request, false)
  }

  async availablePermits(name: string): Promise<number> {
    return this.semaphores.find(name)?.available ?? 0
  }

  close(): void {
    this.#watches.close()
  }

  protected add(name: string, delta: number, request: string, onlyIfSet: boolean): boolean {
    return this.semaphores.answered.once(request, isBoolean, () => {
      const known = this.semaphores.find(name)
      if (!known && onlyIfSet) return false
      const semaphore = known ?? this.semaphores.create(name, 0)
      semaphore.available += delta
      if (delta > 0) this.semaphores.announce(name, semaphore)
      return true
    })
  }

  protected now(): number {
    return this.semaphores.clock.now()
  }

  #take(semaphore: MemorySemaphore, owner: Owner, permits: number, endsAt: number): boolean {
    const before = this.takersOf(owner, semaphore)
    for (const taker of before) extend(semaphore, taker, endsAt)
    if (before.length > 0) return true
    if (semaphore.available < permits) return false
    for (const [taker, each] of this.entriesOf(owner, permits)) {
      semaphore.taken.set(taker, { permits: each, endsAt })
    }
    semaphore.available -= permits
    return true
  }

  #firstEndMs(semaphore: MemorySemaphore | undefined): number {
    const ends = [...(semaphore?.taken.values() ?? [])].map(({ endsAt }) => endsAt)
    return ends.reduce((first, end) => Math.min(first, end), Infinity) - this.now()
  }
}

function extend(semaphore: MemorySemaphore | undefined, taker: string, endsAt: number): void {
  const taken = semaphore?.taken.get(taker)
  if (taken) taken.endsAt = Math.max(taken.endsAt, endsAt)
}
