import type { Conversation, EtcdClient } from './client.js'
import { type LeaseReply, replies } from './replies.js'
import { requests } from './requests.js'

const PATH = '/etcdserverpb.Lease/LeaseKeepAlive'
const ABOUT = { command: 'LeaseKeepAlive' }

interface Asker {
  resolve(reply: LeaseReply): void
  reject(error: unknown): void
}

/** One stream, with those who wait for an answer on it: each answer is for the first who asked about that lease. */
class Round {
  readonly askers = new Map<bigint, Asker[]>()
  readonly conversation: Promise<Conversation>

  constructor(client: EtcdClient, onEnd: (round: Round) => void) {
    this.conversation = client.converse(PATH, {
      message: (message) => {
        const reply = replies.leaseKeepAlive(message)
        this.askers.get(reply.id)?.shift()?.resolve(reply)
      },
      end: (error) => {
        onEnd(this)
        for (const waiting of this.askers.values()) for (const { reject } of waiting) reject(error)
      },
    })
    this.conversation.catch(() => onEnd(this))
  }

  ask(id: bigint, { stream }: Conversation): Promise<LeaseReply> {
    return new Promise((resolve, reject) => {
      const waiting = this.askers.get(id) ?? []
      this.askers.set(id, waiting)
      waiting.push({ resolve, reject })
      stream.send(requests.lease(id))
    })
  }
}

/** Keeps leases alive, by one stream for all of them that is opened when it is needed. */
export class KeepAlives {
  #round: Round | undefined

  constructor(private readonly client: EtcdClient) {}

  /**
   * Starts the lease's time anew. False: it has ended. Rejects with a `StoreError`, after `withinMs` at the latest; the stream is then
   * not used again, so that a late answer is not taken for that to a later question.
   */
  async keepAlive(id: bigint, withinMs: number): Promise<boolean> {
    const { ttlSeconds } = await this.client.inTime(ABOUT, withinMs, async (uses) => {
      this.#round ??= new Round(this.client, (ended) => {
        if (this.#round === ended) this.#round = undefined
      })
      const round = this.#round
      const conversation = await round.conversation
      uses(conversation.channel)
      return await round.ask(id, conversation)
    })
    return ttlSeconds > 0
  }
}
