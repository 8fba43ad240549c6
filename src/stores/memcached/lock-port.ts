import type { Owner } from '../../base/identity/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import type { StoreSettings } from '../../port/store.js'
import { POLLS } from '../rows/polls.js'
import { Refusals } from '../rows/refusals.js'
import { type Items, LONGEST_LEASE_MS } from './items.js'

const LOST: AcquireReply = { outcome: 'lost' }

/** The owner of an item that another program has made. */
const FOREIGN: Owner = 'foreign:0'

/** Never called: calls that wait ask again. */
const SILENT: Watch = { confirmed: Promise.resolve(), close: () => undefined }

/** A lock that is an item of memcached's. The client counts the holds, and ends leases on time. */
export class MemcachedLockPort implements LockPort {
  readonly watchesInOrder = false
  readonly polls = POLLS
  readonly #refusals: Refusals

  constructor(
    private readonly items: Items,
    { schedule }: Pick<StoreSettings, 'schedule'>,
  ) {
    this.#refusals = new Refusals(schedule.clock)
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { items } = this
    const { name, owner, heldBefore, leaseMs, waits } = request
    if (heldBefore > 0) return await this.#nest(request)
    const since = items.now
    const { added, item } = await items.add(name, owner, leaseMs)
    if (item?.owner !== owner) {
      if (waits) this.#refusals.add(name)
      return { outcome: 'busy', remainingMs: item?.remainingMs ?? 0, holder: item?.owner }
    }
    const entry = items.entry(name, owner)
    entry.version = item.version
    entry.holds = 1
    if (added) items.keep(entry, since + leaseMs)
    // An earlier request, whose answer is lost, has made it: its lease has run since.
    else if (!(await items.write(entry, owner, leaseMs)))
      return { outcome: 'busy', remainingMs: 0, holder: undefined }
    this.#refusals.granted(name)
    return granted(since, leaseMs)
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    const entry = this.items.entry(name, owner)
    if (heldBefore > 0) entry.holds = Math.min(entry.holds, heldBefore)
    else await this.items.remove(entry, 'abandon')
  }

  async handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    const { items } = this
    const entry = items.find(name, owner) ?? items.entry(name, from)
    const since = items.now
    if (!(await items.write(entry, owner, leaseMs))) return LOST
    entry.holds = 1
    return granted(since, leaseMs)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { items } = this
    const entry = items.entry(name, owner)
    if (heldBefore > 1) {
      if ((await items.read(name))?.owner !== owner) return 'not-owner'
      entry.holds = Math.min(entry.holds, heldBefore - 1)
      return 'still-held'
    }
    if (!(await items.remove(entry, 'release'))) return repeated ? 'released' : 'not-owner'
    // Polling calls hear nothing: those of other processes get their turn if this one does not go on at once.
    return this.#refusals.isTurnOver(name) ? { others: 1 } : 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    const { items } = this
    return requests.map(({ name, owner, leaseMs, withinMs }) => {
      const entry = items.entry(name, owner)
      return items.write(entry, owner, notSooner(leaseMs, entry.endsAt - items.now), withinMs)
    })
  }

  watch(): Watch {
    return SILENT
  }

  async inspect(name: string): Promise<LockState> {
    const { items } = this
    const item = await items.read(name)
    if (!item) return { name, owners: [], remainingMs: 0 }
    const { owner = FOREIGN } = item
    const own = items.find(name, owner)
    const remainingMs = own ? Math.max(own.endsAt - items.now, 0) : item.remainingMs
    return { name, owners: [{ owner, holds: own?.holds || 1 }], remainingMs }
  }

  /** Nobody knows how many clients poll. */
  async countWatchers(): Promise<undefined> {}

  async forceUnlock(name: string): Promise<boolean> {
    return await this.items.removeAny(name)
  }

  /** A server lists its keys for operators alone, and with everything else that it keeps. */
  async *list(): AsyncIterable<LockState> {}

  /** One hold more: asks the server whether the item is still there. It makes no lease shorter (rule L2). */
  async #nest({ name, owner, heldBefore, leaseMs }: AcquireRequest): Promise<AcquireReply> {
    const { items } = this
    const entry = items.entry(name, owner)
    if (!(await items.write(entry, owner, notSooner(leaseMs, entry.endsAt - items.now)))) return LOST
    entry.holds = Math.max(entry.holds, heldBefore + 1)
    return { outcome: 'granted' }
  }
}

/** The longer of the lease and its rest; the rest is unknown for an item that another request has made. */
function notSooner(leaseMs: number, leftMs: number): number {
  return leftMs < Infinity ? Math.max(leaseMs, leftMs) : leaseMs
}

function granted(since: number, leaseMs: number): AcquireReply {
  if (leaseMs <= LONGEST_LEASE_MS) return { outcome: 'granted' }
  return { outcome: 'granted', granted: { since, leaseMs: LONGEST_LEASE_MS } }
}
