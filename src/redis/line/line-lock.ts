import type { Clock } from '../../core/clock.js'
import { StoreError } from '../../errors.js'
import type { Owner } from '../../owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  News,
  ReleaseReply,
  ReleaseRequest,
  StoreLine,
  Watch,
} from '../../store.js'
import type { Link } from '../link.js'
import type { ReleaseChannels } from '../release-channel.js'
import type { ThreadRenewals } from '../watchdog-thread/thread-renewals.js'
import { BareLockPort } from './bare-lock.js'
import { ClientLine } from './client-line.js'
import type { HolderSeen, LockCommands } from './lock-commands.js'
import { toldIn } from './told.js'

/** How long a waiter sleeps at most behind a lock without an end. */
const LONGEST_LOOK_MS = 30_000
/** The store counts the holder's lease from later than this side: it is looked at so much after its end. */
const AFTER_LEASE_MS = 2

export interface LineSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long a grant in line lasts until its process takes over, and after how long a place is looked after first. */
  readonly firstLeaseMs: number
  /** The lease that the watchdog asks for: a grant in line needs no command then, the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly thread?: ThreadRenewals | undefined
  /** Whether each call has a place of its own. */
  readonly placePerCall: boolean
}

/**
 * The lock with its line: waiting processes stand in it, a release grants the lock to the next and tells that process alone. Who is
 * first in line also listens to the release channel, on which Redisson's clients announce theirs.
 */
export class LineLockPort extends BareLockPort {
  readonly line: StoreLine
  readonly thread: ThreadRenewals | undefined
  readonly #lines = new Map<string, ClientLine>()

  constructor(
    link: Link,
    channels: ReleaseChannels,
    keyPrefix: string,
    commands: LockCommands,
    private readonly settings: LineSettings,
  ) {
    super(link, channels, keyPrefix, commands)
    this.thread = settings.thread
    this.line = {
      placePerCall: settings.placePerCall,
      hears: (name) => channels.subscribed(this.#grantChannel(name)),
    }
  }
}
