import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  HandOverRequest,
  LockPort,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import type { Place, Places } from './places.js'
import type { ServerLocks } from './server-locks.js'

const LOST: AcquireReply = { outcome: 'lost' }

/** Tells nothing: calls wait in the server. */
const SILENT: Watch = { confirmed: Promise.resolve(), inForce: true, close: () => undefined }

/** A lock that the server keeps for a connection. The client counts the holds. */
export class ServerLockPort implements LockPort {
  readonly bound = true
  readonly watchesInOrder = true
  readonly inRounds = true

  constructor(
    private readonly places: Places,
    private readonly locks: ServerLocks,
  ) {}

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, heldBefore, leaseMs } = request
    const known = places.find(name, owner)
    if (known && known.holds > 0)
      return await this.#hold(known, Math.max(known.holds, heldBefore + 1), leaseMs)
    if (heldBefore > 0) return LOST
    // The lease has to be in force when the lock is granted.
    const place = await places.open(name, owner, leaseMs)
    let since = places.now
    const { taken, holder } = await places.attempt(place)
    if (!taken) {
      const { owner: by, remainingMs = Infinity } = holder ?? {}
      const busy: BusyReply = { outcome: 'busy', remainingMs: Math.max(remainingMs, 0), holder: by }
      if (!(await this.#wait(place, request, busy))) return busy
      since = places.now
      await places.lease(place, leaseMs)
    }
    place.holds = 1
    place.endsAt = since + leaseMs
    return { outcome: 'granted', granted: { since, leaseMs } }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    const place = this.places.find(name, owner)
    if (!place) return
    if (heldBefore > 0) place.holds = Math.min(place.holds, heldBefore)
    else await this.places.leave(place)
  }

  async handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    const place = this.places.find(name, from) ?? this.places.find(name, owner)
    if (!place || place.holds === 0) return LOST
    this.places.pass(place, owner)
    return await this.#hold(place, 1, leaseMs)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.places.find(name, owner)
    const after = heldBefore - 1
    if (!place || place.holds === 0) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after > 0) {
      place.holds = Math.min(place.holds, after)
      return 'still-held'
    }
    return (await this.places.free(place)) ? 'released' : 'not-owner'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs, withinMs }) => {
      const place = this.places.find(name, owner)
      if (!place) return false
      await this.places.lease(place, Math.max(leaseMs, place.endsAt - this.places.now), withinMs)
      return true
    })
  }

  watch(): Watch {
    return SILENT
  }

  async inspect(name: string): Promise<LockState> {
    const { places } = this
    const holder = await places.ask((connection) => this.locks.holderOf(connection, name))
    if (!holder) return { name, owners: [], remainingMs: 0 }
    const own = places.withId(holder.id)
    const { owner = `connection:${Number(holder.id)}` as const } = own ?? holder
    const remainingMs = Math.max(own ? own.endsAt - places.now : holder.remainingMs, 0)
    return { name, owners: [{ owner, holds: own?.holds || 1 }], remainingMs }
  }

  async countWatchers(name: string): Promise<number | undefined> {
    return await this.places.ask((connection) => this.locks.waitingFor(connection, name))
  }

  /** Ends the connection that holds the lock. */
  async forceUnlock(name: string): Promise<boolean> {
    const { places } = this
    return await places.ask(async (connection) => {
      const holder = await this.locks.holderOf(connection, name)
      if (holder === undefined) return false
      await places.end(connection, name, holder.id)
      return true
    })
  }

  /** The server knows locks by numbers alone. */
  async *list(): AsyncIterable<LockState> {}

  async #hold(place: Place, holds: number, leaseMs: number): Promise<AcquireReply> {
    place.holds = holds
    const { places } = this
    try {
      await places.lease(place, holds === 1 ? leaseMs : Math.max(leaseMs, place.endsAt - places.now))
    } catch (error) {
      // The lock ended with its connection, and its holder knows.
      if (places.find(place.name, place.owner) !== place) return LOST
      throw error
    }
    return { outcome: 'granted' }
  }

  /** Waits in the server until the caller's time is up, or it leaves. */
  async #wait(place: Place, { waits, caller }: AcquireRequest, busy: BusyReply): Promise<boolean> {
    if (!waits || !caller || caller.left.aborted) {
      this.places.discard(place)
      return false
    }
    const hears = (): void => caller.hears(busy)
    hears()
    let left: Promise<void> | undefined
    const leave = (): void => {
      left = this.places.leave(place).catch(this.places.settings.onError)
    }
    caller.left.addEventListener('abort', leave)
    try {
      if (await this.places.wait(place, caller.waitsUntil, hears)) return true
      this.places.discard(place)
      return false
    } catch (error) {
      if (place.left) return false
      throw error
    } finally {
      caller.left.removeEventListener('abort', leave)
      // A client that closes waits for this answer, so the server must have ended the connection by then.
      await left
    }
  }
}
