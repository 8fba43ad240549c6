import { StoreError } from '../../base/errors/errors.js'
import { isError } from '../../base/errors/is-error.js'
import type { About } from '../../port/failure.js'
import type { SessionGrant } from '../session/link.js'
import type { EtcdClient } from './client/client.js'
import { grpcCodes } from './client/grpc-error.js'
import { type LeaseReply, LONGEST_TTL_SECONDS } from './client/replies.js'

/** etcd grants no lease for less. */
const LEAST_TTL_SECONDS = 2

/** The client gives up a keep-alive that takes longer than this part of the session's time: others must fit in before the end. */
const PATIENCE_PER_TTL = 1 / 6
const LEAST_PATIENCE_MS = 500

/** The leases of one client: that of its session, and those of single keys. */
export class Leases {
  #patienceMs = Infinity

  constructor(private readonly client: EtcdClient) {}

  /** For a session. Of its time two machines' clocks, which do not run at the same speed, take a part. */
  async begin(leastMs: number): Promise<SessionGrant> {
    const { id, ttlSeconds } = await this.#grant((leastMs + 2) / 0.99, { command: 'LeaseGrant' })
    const ttlMs = ttlSeconds * 1_000
    this.#patienceMs = Math.max(ttlMs * PATIENCE_PER_TTL, LEAST_PATIENCE_MS)
    return { session: String(id), aliveMs: ttlMs - (ttlMs * 0.01 + 2) }
  }

  keepAlive(session: bigint): Promise<boolean> {
    const withinMs = Math.min(this.#patienceMs, this.client.timeoutMs)
    return this.client.leaseKeepAlive(session, { command: 'LeaseKeepAlive' }, withinMs)
  }

  /** One that lasts at least so long. */
  async grant(leastMs: number, about: About): Promise<bigint> {
    return (await this.#grant(leastMs, about)).id
  }

  /** One that no entry needs any more. It would end by itself. */
  letGo(lease: bigint | undefined): void {
    if (lease !== undefined) this.revoke(lease).catch(() => undefined)
  }

  async revoke(lease: bigint): Promise<void> {
    await orNone(this.client.leaseRevoke(lease, { command: 'LeaseRevoke' }))
  }

  #grant(leastMs: number, about: About): Promise<LeaseReply> {
    const seconds = Math.max(Math.ceil(leastMs / 1_000), LEAST_TTL_SECONDS)
    return this.client.leaseGrant(Math.min(seconds, LONGEST_TTL_SECONDS), about)
  }
}

/** The result of the work; undefined if the lease or key that it names does not exist. */
export async function orNone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    const cause = error instanceof StoreError ? error.cause : undefined
    if (isError(cause) && 'code' in cause && cause.code === grpcCodes.notFound) return undefined
    throw error
  }
}
