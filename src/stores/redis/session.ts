import { StoreError } from '../../base/errors/errors.js'
import type { LockPort } from '../../port/lock-port.js'
import { ReplicaCheckedPort } from '../../port/replica-checked.js'
import type { ServerIdentity, StoreSession, StoreSettings } from '../../port/store.js'
import type { RedisClient } from './connection/client.js'
import type { Link, Renewing } from './connection/link.js'
import { ReplicaWaits } from './connection/replica-waits.js'
import { identityOf } from './connection/server-identity.js'
import { RedisEdgesPort } from './edges/edges-port.js'
import { LockSession } from './lock-session.js'
import { FencedLockPort, LineLockPort } from './locks/line-lock.js'
import { MultiAcquire } from './locks/multi-acquire.js'
import { readWritePorts } from './locks/read-write-lock.js'
import { ReentrantLockPort } from './locks/reentrant-lock.js'
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
  readonly announcedLock = new VotePort(this.parts, this.commands({ tickets: true }))
  readonly fencedLock = new FencedLockPort(
    this.parts,
    this.commands({ fenceRetentionMs: this.settings.fenceRetentionMs ?? 0 }),
  )
  // No batch may jump a line in which each call has its place.
  readonly fairLock = new LineLockPort(
    { ...this.parts, batchOf: undefined },
    this.commands({ inOrder: true }),
  )
  readonly spinLock = new ReentrantLockPort(this.parts, this.commands({ publishCommand: '' }))
  readonly readWriteLock = readWritePorts(this.parts)
  readonly semaphore = new RedisSemaphorePort(this.parts)
  readonly permitExpirableSemaphore = new RedisPermitExpirableSemaphorePort(this.parts)
  readonly countDownLatch = new RedisCountDownLatchPort(this.parts)
  readonly guardedValues = new RedisGuardedPort(this.link, this.parts.keyPrefix)
  readonly values = new ComputeOnceValues(this.link, this.parts.keyPrefix)
  readonly edges = new RedisEdgesPort(this.link, this.parts.keyPrefix)

  constructor(client: RedisClient, settings: StoreSettings, renewing?: (link: Link) => Renewing) {
    const { schedule, commandTimeoutMs, onError, thread, replicas } = settings
    super(client, settings, {
      // First, because it may refuse the client's options.
      renewals: thread && new ThreadRenewals(client, { ...thread, commandTimeoutMs }, schedule, onError),
      batchOf: ({ link, keyPrefix }, starting) => new MultiAcquire(link, keyPrefix, starting),
      ...(renewing && { renewing }),
    })
    this.#acknowledging =
      replicas &&
      new RedisSession(
        client,
        { ...settings, thread: undefined, replicas: undefined },
        (link) => new ReplicaWaits(link, replicas, this.link),
      )
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
