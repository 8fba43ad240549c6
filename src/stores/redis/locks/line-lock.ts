import type { Owner } from '../../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  News,
  ReleaseReply,
  ReleaseRequest,
  StoreLine,
  Watch,
} from '../../../port/lock-port.js'
import { Lines, LONGEST_LOOK_MS } from '../line/lines.js'
import type { LockCommands } from '../line/lock-commands.js'
import { tenureReply } from '../scripts/replies.js'
import { runScript } from '../scripts/script.js'
import { fencedTenure } from '../scripts/scripts.generated.js'
import type { LockParts } from './redis-port.js'
import { ReentrantLockPort } from './reentrant-lock.js'

/**
 * The lock with its line: a release grants the lock to the next process in line and tells only that one. Redisson's clients stand
 * outside the line and announce their releases on the release channel, to which the first in line listens.
 */
export class LineLockPort extends ReentrantLockPort {
  readonly line: StoreLine
  readonly #lines: Lines

  constructor(parts: LockParts, commands: LockCommands) {
    super(parts, commands)
    this.#lines = new Lines(parts.channels, commands, parts)
    this.line = {
      placeMs: LONGEST_LOOK_MS,
      hears: (name) => this.#lines.hears(name),
      hearAsks: (name, onAsk, often) => this.#lines.hearAsks(name, onAsk, often),
    }
  }

  protected override ask(request: AcquireRequest): Promise<AcquireReply> {
    return this.#lines.acquire(this.commands, request)
  }

  override async abandon(request: AcquireRequest): Promise<void> {
    this.#lines.leave(this.commands, request)
    await super.abandon(request)
  }

  override release(request: ReleaseRequest): Promise<ReleaseReply> {
    this.#lines.released(this.commands, request)
    return super.release(request)
  }

  /** Calls back on messages about the process's places. */
  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#lines.watch(this.commands, name, onNews)
  }
}

/** The fenced lock as Redisson's `RFencedLock` keeps it: the same hash, so that the two exclude each other, and a counter beside it. */
export class FencedLockPort extends LineLockPort implements FencedPort {
  readTenure(name: string, owner: Owner): Promise<TenureState> {
    const keys = [this.key(name), this.commands.counterOf(name)] as const
    return runScript(this.link, fencedTenure, keys, name, [owner], tenureReply)
  }
}
