import type { Clock } from '../../src/base/time/clock.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../src/port/lock-port.js'
import type { Store, StoreSession } from '../../src/port/store.js'

export const GRANTED: AcquireReply = { outcome: 'granted' }
export const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }

/** One command that was sent, to be answered when the test says so. */
export interface Sent<Request, Reply> {
  readonly request: Request
  answer(reply: Reply): void
  fail(error: unknown): void
}

/** The commands of one kind, in the order they were sent. */
class Inbox<Request, Reply> {
  readonly all: Sent<Request, Reply>[] = []

  readonly take = (request: Request): Promise<Reply> =>
    new Promise((resolve, reject) => {
      this.all.push({ request, answer: resolve, fail: reject })
    })

  /** The latest. */
  get last(): Sent<Request, Reply> {
    const last = this.all.at(-1)
    if (!last) throw new Error('nothing was sent')
    return last
  }
}

/** A store that does nothing by itself: the test reads what was sent and answers by hand. */
export class ScriptedPort implements LockPort {
  readonly acquires = new Inbox<AcquireRequest, AcquireReply>()
  readonly abandons = new Inbox<AcquireRequest, void>()
  readonly handOvers = new Inbox<HandOverRequest, AcquireReply>()
  readonly inspections = new Inbox<string, LockState>()
  readonly releases = new Inbox<ReleaseRequest, ReleaseReply>()
  readonly renewals = new Inbox<RenewRequest, boolean>()
  readonly watches = new Inbox<{ readonly name: string; readonly onNews: () => void }, void>()
  readonly forces = new Inbox<string, boolean>()
  readonly ties = new Inbox<string, boolean>()
  /** How many requests each call of `renew` carried. */
  readonly batches: number[] = []
  closedWatches = 0
  /** How often a watch was doubted: the store is to find out whether it still hears. */
  doubts = 0
  /** Set where the store keeps a line. */
  line: StoreLine | undefined

  acquire = this.acquires.take
  abandon = this.abandons.take
  handOver = this.handOvers.take
  release = this.releases.take
  forceUnlock = this.forces.take
  tie = this.ties.take
  inspect = this.inspections.take

  constructor(readonly watchesInOrder = false) {}

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    this.batches.push(requests.length)
    return requests.map((request) => this.renewals.take(request))
  }

  watch(name: string, onNews: () => void): Watch {
    return {
      confirmed: this.watches.take({ name, onNews }),
      close: () => {
        this.closedWatches += 1
      },
      doubt: () => {
        this.doubts += 1
      },
    }
  }

  async countWatchers(): Promise<number> {
    return 0
  }

  async *list(): AsyncIterable<LockState> {}
}

/** A store whose locks are at that port. */
export function storeOn(clock: Clock, lock: LockPort, others: Partial<StoreSession> = {}): Store {
  return { clock, open: () => ({ lock, close: async () => undefined, ...others }) }
}

/** Lets everything go on that needs no time and no answer. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
