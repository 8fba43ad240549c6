import { StoreError } from '../base/errors/errors.js'
import { isTransient } from './failure.js'
import { ForwardingPort } from './forwarding.js'
import type { AcquireReply, AcquireRequest, HandOverRequest, LockPort } from './lock-port.js'

/**
 * A port whose grants count only once replicas have them (`checkReplicas`). After each grant it renews the hold at the lock's server, and
 * waits until replicas acknowledge that write. The renewal proves that this server has the hold, and not only one that has failed since;
 * replicas that have the renewal have the grant. If too few acknowledge, it gives the grant back before the caller hears of it.
 */
export class ReplicaCheckedPort extends ForwardingPort {
  readonly line: LockPort['line']
  readonly thread: LockPort['thread']
  readonly together: LockPort['together']

  constructor(
    port: LockPort,
    /** The same locks, with renewals that resolve when replicas have them. */
    private readonly acknowledging: Pick<LockPort, 'renew'>,
    /** Called when the acknowledging server does not know the grant: it or the granting one may be the wrong server. */
    private readonly disagreed: () => void = () => undefined,
  ) {
    super(port)
    this.line = port.line
    this.thread = port.thread
    const { together } = port
    this.together = together && {
      placeOf: (name) => together.placeOf(name),
      acquireAll: async (requests) => this.#confirmed(requests, await together.acquireAll(requests)),
      acquireOne: async (requests) => this.#confirmed(requests, await together.acquireOne(requests)),
    }
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return await this.#confirmedOne(request, await this.port.acquire(request))
  }

  override async handOver(request: HandOverRequest): Promise<AcquireReply> {
    const reply = await this.port.handOver(request)
    // Whatever its outcome, the previous holder's tenure is over and the next one's is not certain.
    return await this.#confirmedOne(request, reply).catch((error: unknown) => {
      throw new StoreError('replicas', 'hand-over', {
        lockName: request.name,
        cause: error,
        transient: true,
        hint: 'Acquire the lock again.',
      })
    })
  }

  async #confirmedOne(request: AcquireRequest, reply: AcquireReply): Promise<AcquireReply> {
    const [confirmed] = await this.#confirmed([request], [reply])
    return confirmed ?? reply
  }

  /** Resolves with the replies once replicas have their grants. Rejects with nothing held, or with an unknown outcome. */
  async #confirmed(
    requests: readonly AcquireRequest[],
    replies: readonly AcquireReply[],
  ): Promise<readonly AcquireReply[]> {
    const granted = requests.filter((_, index) => replies[index]?.outcome === 'granted')
    try {
      const confirmed = await Promise.all(requests.map((each, index) => this.#confirm(each, replies[index])))
      return replies.map((reply, index) => confirmed[index] ?? reply)
    } catch (error) {
      // The caller settles an unknown outcome; every other failure means too few replicas.
      if (!isTransient(error)) await Promise.all(granted.map((each) => this.port.abandon(each)))
      throw error
    }
  }

  /** Undefined when the reply stands. */
  async #confirm(
    request: AcquireRequest,
    reply: AcquireReply | undefined,
  ): Promise<AcquireReply | undefined> {
    if (reply?.outcome !== 'granted') return undefined
    const { name, owner, permits, heldBefore } = request
    const leaseMs = reply.granted?.leaseMs ?? request.leaseMs
    const [answer] = this.acknowledging.renew([{ name, owner, permits, leaseMs }])
    if (await answer) return undefined
    this.disagreed()
    if (heldBefore > 0) return { outcome: 'lost' }
    // Granted by one server and unknown to the next: the grant has not survived a failover.
    throw new StoreError('not-ready', 'acquire', {
      lockName: name,
      transient: true,
      hint: 'Another server has replaced the one that granted the lock.',
    })
  }
}
