import type { AcquireReply, AcquireRequest, News, StoreLine, Watch } from '../../ports/lock-port.js'
import { type LockParts, ReentrantLockPort } from '../locks/reentrant-lock.js'
import { Lines, type LinesSettings, LONGEST_LOOK_MS } from './lines.js'
import type { LockCommands } from './lock-commands.js'

/**
 * The lock with its line: processes that wait stand in it, and a release grants the lock to the next and tells that process alone.
 * Redisson's clients stand in none and announce theirs on the release channel, to which the first in line listens for all.
 */
export class LineLockPort extends ReentrantLockPort {
  readonly line: StoreLine
  readonly #lines: Lines

  constructor(parts: LockParts, commands: LockCommands, settings: LinesSettings) {
    super(parts, commands)
    this.#lines = new Lines(parts.channels, commands, settings)
    this.line = {
      placeMs: LONGEST_LOOK_MS,
      hears: (name) => this.#lines.hears(name),
    }
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const starting = this.starting()
    if (starting) await starting
    return await this.#lines.acquire(this.commands.mode, request, (looksMs, firstLeaseMs) =>
      this.commands.acquire(request, looksMs, firstLeaseMs),
    )
  }

  override async abandon(request: AcquireRequest): Promise<void> {
    this.#lines.leave(this.commands.mode, request)
    await super.abandon(request)
  }

  /** Hears what becomes of the process's places. */
  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#lines.watch(this.commands.mode, name, onNews)
  }
}
