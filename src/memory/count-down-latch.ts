import type { CountDownLatchPort } from '../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockState,
  News,
  ReleaseReply,
  RenewRequest,
  Watch,
} from '../ports/lock-port.js'
import { MemoryWatches } from './announcements.js'
import { isBoolean, isNumber } from './answered-requests.js'
import type { MemoryLatches } from './latches.js'

/** The count-down latch in memory. */
export class MemoryCountDownLatchPort implements CountDownLatchPort {
  readonly watchesInOrder = true
  readonly #watches: MemoryWatches

  constructor(private readonly latches: MemoryLatches) {
    this.#watches = new MemoryWatches(latches.announcements)
  }

  async acquire({ name }: AcquireRequest): Promise<AcquireReply> {
    return this.latches.count(name) === 0
      ? { outcome: 'granted', room: Infinity }
      : { outcome: 'busy', remainingMs: Infinity, holder: undefined }
  }

  async abandon(): Promise<void> {}

  async handOver(_request: HandOverRequest): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release(): Promise<ReleaseReply> {
    return 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async () => true)
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#watches.watch(name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const closed = this.latches.count(name) > 0
    return { name, owners: [], remainingMs: closed ? Infinity : 0 }
  }

  async countWatchers(name: string): Promise<number> {
    return this.latches.announcements.count(name)
  }

  async forceUnlock(name: string): Promise<boolean> {
    return this.latches.open(name)
  }

  async *list(): AsyncIterable<LockState> {}

  async trySetCount(name: string, count: number, request: string): Promise<boolean> {
    return this.latches.answered.once(request, isBoolean, () => {
      if (this.latches.count(name) > 0) return false
      this.latches.close(name, count)
      return true
    })
  }

  async countDown(name: string, request: string): Promise<number> {
    return this.latches.answered.once(request, isNumber, () => this.latches.countDown(name))
  }

  async count(name: string): Promise<number> {
    return this.latches.count(name)
  }

  async delete(name: string, request: string): Promise<boolean> {
    return this.latches.answered.once(request, isBoolean, () => this.latches.open(name))
  }

  close(): void {
    this.#watches.close()
  }
}
