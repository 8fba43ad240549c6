import { StoreError } from '../../base/errors/errors.js'
import type { ReadWritePorts } from '../../port/kind-ports.js'
import type { LockPort } from '../../port/lock-port.js'
import { ReplicaCheckedPort } from '../../port/replica-checked.js'
import type { ServerIdentity, StoreSession, StoreSettings } from '../../port/store.js'
import type { RedisClient } from './connection/client.js'
import type { Link } from './connection/link.js'
import { ReplicaWaitLink } from './connection/replica-wait-link.js'
import { identityOf } from './connection/server-identity.js'
import { RedisEdgesPort } from './edges/edges-port.js'
import { LockSession } from './lock-session.js'
import { FencedLockPort } from './locks/fenced-lock.js'
import { LineLockPort } from './locks/line-lock.js'
import { MultiAcquire } from './locks/multi-acquire.js'
import { readWritePorts } from './locks/read-write-lock.js'
import { SpinLockPort } from './locks/spin-lock.js'
import { VotePort } from './locks/vote-port.js'
import { RedisCountDownLatchPort } from './permits/count-down-latch.js'
import { RedisPermitExpirableSemaphorePort } from './permits/permit-expirable-semaphore.js'
import { RedisSemaphorePort } from './permits/semaphore.js'
import { ComputeOnceValues } from './values/compute-once-values.js'
import { RedisGuardedPort } from './values/guarded-value.js'
import { ThreadRenewals } from './watchdog-thread/thread-renewals.js'

/** One client's session with Redis: a port for each kind of lock that it uses. */
export class RedisSession extends LockSession {
  /** The same locks on separate connections, which answer renewals once enough replicas have them (`checkReplicas`). */
  readonly #acknowledging: RedisSession | undefined
  #announcedLock: VotePort | undefined
  #fencedLock: FencedLockPort | undefined
  #fairLock: LineLockPort | undefined
  #spinLock: SpinLockPort | undefined
  #readWriteLock: ReadWritePorts | undefined
  #semaphore: RedisSemaphorePort | undefined
  #permitExpirableSemaphore: RedisPermitExpirableSemaphorePort | undefined
  #countDownLatch: RedisCountDownLatchPort | undefined
  #guardedValues: RedisGuardedPort | undefined
  #values: ComputeOnceValues | undefined
  #edges: RedisEdgesPort | undefined

  constructor(client: RedisClient, settings: StoreSettings, through?: (link: Link) => Link) {
    const { schedule, commandTimeoutMs, onError, thread, replicas } = settings
    super(client, settings, {
      // First, because it may refuse the client's options.
      renewals: thread && new ThreadRenewals(client, { ...thread, commandTimeoutMs }, schedule, onError),
      batchOf: ({ link, keyPrefix }, starting) => new MultiAcquire(link, keyPrefix, starting),
      ...(through && { through }),
    })
    this.#acknowledging =
      replicas &&
      new RedisSession(
        client,
        { ...settings, thread: undefined, replicas: undefined },
        (link) => new ReplicaWaitLink(link, replicas, this.link),
      )
  }

  get announcedLock(): VotePort {
    this.#announcedLock ??= new VotePort(this.parts, this.commands({ tickets: true }))
    return this.#announcedLock
  }

  get fencedLock(): FencedLockPort {
    const { fenceRetentionMs = 0 } = this.settings
    const commands = this.commands({ fenceRetentionMs })
    this.#fencedLock ??= new FencedLockPort(this.parts, commands, this.lineSettings())
    return this.#fencedLock
  }

  get fairLock(): LineLockPort {
    // No batch may jump a line in which each call has its place.
    const parts = { ...this.parts, batchOf: undefined }
    const commands = this.commands({ inOrder: true })
    this.#fairLock ??= new LineLockPort(parts, commands, this.lineSettings())
    return this.#fairLock
  }

  get spinLock(): SpinLockPort {
    this.#spinLock ??= new SpinLockPort(this.parts, this.commands({ publishCommand: '' }))
    return this.#spinLock
  }

  get readWriteLock(): ReadWritePorts {
    this.#readWriteLock ??= readWritePorts(this.parts, this.lineSettings())
    return this.#readWriteLock
  }

  get semaphore(): RedisSemaphorePort {
    this.#semaphore ??= new RedisSemaphorePort(this.parts, this.lineSettings(), this.settings.quarantineMs)
    return this.#semaphore
  }

  get permitExpirableSemaphore(): RedisPermitExpirableSemaphorePort {
    this.#permitExpirableSemaphore ??= new RedisPermitExpirableSemaphorePort(
      this.parts,
      this.lineSettings(),
      this.settings.quarantineMs,
    )
    return this.#permitExpirableSemaphore
  }

  get countDownLatch(): RedisCountDownLatchPort {
    this.#countDownLatch ??= new RedisCountDownLatchPort(this.parts)
    return this.#countDownLatch
  }

  get guardedValues(): RedisGuardedPort {
    const { link, keyPrefix } = this.parts
    this.#guardedValues ??= new RedisGuardedPort(link, keyPrefix)
    return this.#guardedValues
  }

  get values(): ComputeOnceValues {
    const { link, keyPrefix } = this.parts
    this.#values ??= new ComputeOnceValues(link, keyPrefix)
    return this.#values
  }

  get edges(): RedisEdgesPort {
    const { link, keyPrefix } = this.parts
    this.#edges ??= new RedisEdgesPort(link, keyPrefix)
    return this.#edges
  }

  confirming(portOf: (session: StoreSession) => LockPort | undefined): LockPort | undefined {
    const port = portOf(this)
    const acknowledging = this.#acknowledging && portOf(this.#acknowledging)
    return port && acknowledging
      ? new ReplicaCheckedPort(port, acknowledging, () => void this.link.reconnect())
      : port
  }

  async identity(): Promise<ServerIdentity> {
    const [node] = await this.link.nodes()
    if (!node) throw new StoreError('not-ready', 'INFO server', { transient: true })
    return await identityOf(node)
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#acknowledging?.close()])
  }
}
