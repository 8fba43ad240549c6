import { firstLeaseMs } from '../core/lease/first-lease.js'
import { StoreError } from '../errors/errors.js'
import type { ReadWritePorts } from '../ports/kind-ports.js'
import type { ServerIdentity, StoreSession, StoreSettings } from '../ports/store.js'
import { ReleaseChannels } from './channels/release-channel.js'
import { isCluster, type RedisClient } from './connection/client.js'
import { ClusterLink } from './connection/cluster-link.js'
import type { Link, LinkListener } from './connection/link.js'
import { ReplicaWaitLink } from './connection/replica-wait-link.js'
import { identityOf } from './connection/server-identity.js'
import { StandaloneLink } from './connection/standalone-link.js'
import { LeftPlaces } from './line/left-places.js'
import { LineLockPort, type LineSettings } from './line/line-lock.js'
import { LockCommands, type LockTerms } from './line/lock-commands.js'
import { FencedLockPort } from './locks/fenced-lock.js'
import { readWritePorts } from './locks/read-write-lock.js'
import { type LockParts, ReentrantLockPort } from './locks/reentrant-lock.js'
import { SpinLockPort } from './locks/spin-lock.js'
import { RedisCountDownLatchPort } from './permits/count-down-latch.js'
import { RedisPermitExpirableSemaphorePort } from './permits/permit-expirable-semaphore.js'
import { RedisSemaphorePort } from './permits/semaphore.js'
import { ComputeOnceValues } from './values/compute-once-values.js'
import { RedisGuardedPort } from './values/guarded-value.js'
import { ThreadRenewals } from './watchdog-thread/thread-renewals.js'

type Parts = readonly [
  link: Link,
  channels: ReleaseChannels,
  keyPrefix: string,
  onError: (error: unknown) => void,
]

/** One client's dealings with Redis: at most two connections for each server, and the ports of the kinds that are used. */
export class RedisSession implements StoreSession {
  readonly lock: LineLockPort
  readonly acknowledging: RedisSession | undefined
  readonly #link: Link
  readonly #channels: ReleaseChannels
  readonly #leftPlaces: LeftPlaces
  readonly #parts: Parts
  readonly #lockParts: LockParts
  readonly #renewals: ThreadRenewals | undefined
  #announcedLock: ReentrantLockPort | undefined
  #fencedLock: FencedLockPort | undefined
  #fairLock: LineLockPort | undefined
  #spinLock: SpinLockPort | undefined
  #readWriteLock: ReadWritePorts | undefined
  #semaphore: RedisSemaphorePort | undefined
  #permitExpirableSemaphore: RedisPermitExpirableSemaphorePort | undefined
  #countDownLatch: RedisCountDownLatchPort | undefined
  #guardedValues: RedisGuardedPort | undefined
  #values: ComputeOnceValues | undefined

  constructor(
    client: RedisClient,
    private readonly settings: StoreSettings,
    through: (link: Link) => Link = (link) => link,
  ) {
    const { schedule, commandTimeoutMs, onError, thread, replicas } = settings
    // First, because it may refuse the client's options.
    this.#renewals = thread && new ThreadRenewals(client, { ...thread, commandTimeoutMs }, schedule, onError)
    this.#channels = new ReleaseChannels(() => this.#link, schedule)
    this.#leftPlaces = new LeftPlaces(schedule.clock, onError)
    const listener: LinkListener = {
      message: (channel, text) => {
        this.#channels.announce(channel, text)
        this.#leftPlaces.hear(text)
      },
      resumed: (channels) => {
        for (const channel of channels) this.#channels.announce(channel)
      },
      error: onError,
    }
    this.#link = through(
      isCluster(client)
        ? new ClusterLink(client, schedule, commandTimeoutMs, listener)
        : new StandaloneLink(client, schedule, commandTimeoutMs, listener),
    )
    const keyPrefix = client.options.keyPrefix ?? ''
    this.#parts = [this.#link, this.#channels, keyPrefix, onError]
    this.#lockParts = { link: this.#link, channels: this.#channels, keyPrefix }
    this.lock = new LineLockPort(this.#lockParts, this.#commands(), this.#lineSettings(false))
    this.acknowledging =
      replicas &&
      new RedisSession(
        client,
        { ...settings, thread: undefined, replicas: undefined },
        (link) => new ReplicaWaitLink(link, replicas),
      )
  }

  get announcedLock(): ReentrantLockPort {
    this.#announcedLock ??= new ReentrantLockPort(this.#lockParts, this.#commands(), this.#renewals)
    return this.#announcedLock
  }

  get fencedLock(): FencedLockPort {
    const { fenceRetentionMs = 0 } = this.settings
    const commands = this.#commands({ fenceRetentionMs })
    this.#fencedLock ??= new FencedLockPort(this.#lockParts, commands, this.#lineSettings(false))
    return this.#fencedLock
  }

  get fairLock(): LineLockPort {
    const commands = this.#commands({ inOrder: true })
    this.#fairLock ??= new LineLockPort(this.#lockParts, commands, this.#lineSettings(true))
    return this.#fairLock
  }

  get spinLock(): SpinLockPort {
    this.#spinLock ??= new SpinLockPort(
      this.#lockParts,
      this.#commands({ publishCommand: '' }),
      this.#renewals,
    )
    return this.#spinLock
  }

  get readWriteLock(): ReadWritePorts {
    const [link, channels, keyPrefix, onError] = this.#parts
    this.#readWriteLock ??= readWritePorts({ link, channels, keyPrefix, onError }, this.#lineSettings(true))
    return this.#readWriteLock
  }

  get semaphore(): RedisSemaphorePort {
    this.#semaphore ??= new RedisSemaphorePort(...this.#parts, this.#renewals?.of('semaphore'))
    return this.#semaphore
  }

  get permitExpirableSemaphore(): RedisPermitExpirableSemaphorePort {
    this.#permitExpirableSemaphore ??= new RedisPermitExpirableSemaphorePort(
      ...this.#parts,
      this.#renewals?.of('permits'),
    )
    return this.#permitExpirableSemaphore
  }

  get countDownLatch(): RedisCountDownLatchPort {
    this.#countDownLatch ??= new RedisCountDownLatchPort(...this.#parts)
    return this.#countDownLatch
  }

  get guardedValues(): RedisGuardedPort {
    const [link, , keyPrefix] = this.#parts
    this.#guardedValues ??= new RedisGuardedPort(link, keyPrefix)
    return this.#guardedValues
  }

  /** How often a connection has broken: after that another server may stand behind it. */
  get breaks(): number {
    return this.#link.breaks
  }

  get values(): ComputeOnceValues {
    const [link, , keyPrefix] = this.#parts
    this.#values ??= new ComputeOnceValues(link, keyPrefix)
    return this.#values
  }

  async identity(): Promise<ServerIdentity> {
    const [node] = await this.#link.nodes()
    if (!node) throw new StoreError('not-ready', 'INFO server', { transient: true })
    return await identityOf(node)
  }

  async close(): Promise<void> {
    this.#channels.close()
    await Promise.all([this.#link.close(), this.#renewals?.close(), this.acknowledging?.close()])
  }

  #commands(terms: Partial<LockTerms> = {}): LockCommands {
    const [link, , keyPrefix, onError] = this.#parts
    const { publishCommand } = link
    return new LockCommands(link, keyPrefix, { publishCommand, ...terms }, onError)
  }

  #lineSettings(placePerCall: boolean): LineSettings {
    const { clientId, watchdogLeaseMs, quarantineMs, schedule } = this.settings
    return {
      clientId,
      placePerCall,
      firstLeaseMs: firstLeaseMs(watchdogLeaseMs),
      // Under quarantine a hold has its whole lease from the start: a loss of the short one would be without its quarantine.
      watchdogLeaseMs: quarantineMs > 0 ? Number.NaN : watchdogLeaseMs,
      clock: schedule.clock,
      thread: this.#renewals,
      leftPlaces: this.#leftPlaces,
    }
  }
}
