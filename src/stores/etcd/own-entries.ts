import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { LockName } from '../session/lock-name.js'
import type { EtcdEntry } from './entry.js'

/** Most sections are over by then, and cost no watch. */
const WATCHED_AFTER_MS = 100

/** An entry of this client that the server has confirmed. */
interface OwnEntry {
  readonly entry: EtcdEntry
  /** The lease of its own, where it has one. */
  lease: bigint | undefined
  alarm: TimerHandle | undefined
  stop: (() => void) | undefined
}

/** The entries that one client has in all lines, each watched once it has stood for a while. */
export class OwnEntries {
  readonly #entries = new Map<string, OwnEntry>()

  constructor(
    private readonly schedule: Schedule,
    /** Watches one; returns what ends that. */
    private readonly watch: (lock: LockName, entry: EtcdEntry) => () => void,
  ) {}

  find(key: string): EtcdEntry | undefined {
    return this.#entries.get(key)?.entry
  }

  add(lock: LockName, entry: EtcdEntry): void {
    if (this.#entries.has(entry.key)) return
    const { schedule } = this
    const own: OwnEntry = { entry, lease: undefined, alarm: undefined, stop: undefined }
    own.alarm = schedule.at(schedule.clock.now() + WATCHED_AFTER_MS, () => {
      own.stop = this.watch(lock, entry)
    })
    this.#entries.set(entry.key, own)
  }

  /** Notes its lease, and returns the one that it had before. */
  lease(key: string, lease: bigint | undefined): bigint | undefined {
    const own = this.#entries.get(key)
    const before = own?.lease
    if (own) own.lease = lease
    return before
  }

  /** Watches it no longer. Whether it was there. */
  delete(key: string): boolean {
    const own = this.#entries.get(key)
    this.schedule.cancel(own?.alarm)
    own?.stop?.()
    return this.#entries.delete(key)
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key)
  }
}
