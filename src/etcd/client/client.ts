import { retryPauseMs } from '../../time/back-off.js'
import { pause } from '../../time/pause.js'
import type { Schedule } from '../../time/schedule.js'
import type { CallListener } from './call.js'
import type { Channel, MessageStream } from './channel.js'
import { Connections, type EtcdAddress } from './connections.js'
import { type About, closedError, failureOf, timeoutOf } from './failure.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'
import { type LeaseReply, type RangeReply, replies, type TxnReply } from './replies.js'
import { type RangeTerms, requests, type Span, type Transaction } from './requests.js'

const paths = {
  range: '/etcdserverpb.KV/Range',
  deleteRange: '/etcdserverpb.KV/DeleteRange',
  txn: '/etcdserverpb.KV/Txn',
  leaseGrant: '/etcdserverpb.Lease/LeaseGrant',
  leaseRevoke: '/etcdserverpb.Lease/LeaseRevoke',
} as const

export interface Conversation {
  readonly channel: Channel
  readonly stream: MessageStream
}

/** Says which connection some work uses now. Throws when nobody awaits the result of that work any more. */
type Uses = (channel: Channel) => Channel

/** Failures after which another server may do better. */
const WORN_OUT: readonly number[] = [grpcCodes.unavailable, grpcCodes.deadlineExceeded]

/**
 * etcd's commands, each of which is answered, or rejected with a `StoreError`, within `timeoutMs`. It sends nothing twice that may have
 * been carried out: a transient failure leaves the outcome unknown.
 */
export class EtcdClient {
  readonly #connections: Connections
  /** Rejects the commands without an answer. */
  readonly #pending = new Set<() => void>()
  #closed = false

  constructor(
    address: EtcdAddress,
    private readonly schedule: Schedule,
    private readonly timeoutMs: number,
  ) {
    this.#connections = new Connections(address, schedule, timeoutMs)
  }

  range(terms: RangeTerms, about: About): Promise<RangeReply> {
    return this.#command(paths.range, requests.range(terms), replies.range, about)
  }

  /** How many keys were there. */
  deleteRange(span: Span, about: About): Promise<number> {
    return this.#command(paths.deleteRange, requests.deleteRange(span), replies.deleted, about)
  }

  /** @param askedAt from when on its time counts, if it could not be sent at once */
  txn(terms: Transaction, about: About, askedAt?: number): Promise<TxnReply> {
    const read = (message: Buffer): TxnReply => replies.txn(message, terms)
    return this.#command(paths.txn, requests.txn(terms), read, about, askedAt)
  }

  /** The server may grant a longer time. */
  leaseGrant(ttlSeconds: number, about: About): Promise<LeaseReply> {
    return this.#command(paths.leaseGrant, requests.leaseGrant(ttlSeconds), replies.leaseGrant, about)
  }

  /** Ends it, with all its keys. */
  leaseRevoke(id: bigint, about: About): Promise<void> {
    return this.#command(paths.leaseRevoke, requests.lease(id), replies.leaseRevoke, about)
  }

  /** Opens a call with many messages in both directions, as part of some work. Its end is told to the listener. */
  async converse(path: string, listener: CallListener): Promise<Conversation> {
    const channel = await this.#connections.open()
    const stream = channel.converse(path, this.#connections.metadata, {
      message: listener.message,
      end: (error) => {
        this.#judge(channel, error)
        listener.end(error)
      },
    })
    return { channel, stream }
  }

  /**
   * The result of work with the server; a `StoreError` if it fails, or takes too long: then the connection that it uses is broken, unless
   * most of that time had passed before it was used.
   */
  inTime<Result>(
    about: About,
    timeoutMs: number,
    work: (uses: Uses) => Promise<Result>,
    askedAt = this.schedule.clock.now(),
  ): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError(about))
    return new Promise((resolve, reject) => {
      const { schedule } = this
      const begunAt = schedule.clock.now()
      let used: Channel | undefined
      let settled = false
      const over = (): void => {
        settled = true
        schedule.cancel(alarm)
        this.#pending.delete(close)
      }
      const alarm = schedule.at(askedAt + timeoutMs, () => {
        over()
        reject(timeoutOf(about, timeoutMs))
        if (used && schedule.clock.now() - begunAt >= timeoutMs / 2) this.drop(used)
      })
      const close = (): void => {
        over()
        reject(closedError(about))
      }
      this.#pending.add(close)
      const uses: Uses = (channel) => {
        if (settled) throw new ConnectionError('the command is over', false)
        used = channel
        return channel
      }
      work(uses).then(
        (result) => {
          over()
          resolve(result)
        },
        (error: unknown) => {
          over()
          reject(failureOf(error, about))
        },
      )
    })
  }

  /** Logs in anew, because the server no longer knows the token. */
  async renewToken(about: About): Promise<void> {
    const { token } = this.#connections.metadata
    await this.inTime(about, this.timeoutMs, async (uses) => {
      await this.#connections.renewToken(uses(await this.#connections.open()), token)
    })
  }

  /** A connection that is silent is not used again. */
  drop(channel: Channel): void {
    this.#connections.drop(channel)
  }

  /** Ends its connection, and rejects what is under way. Waits for nothing. */
  close(): void {
    this.#closed = true
    for (const reject of [...this.#pending]) reject()
    this.#connections.close()
  }

  #command<Reply>(
    path: string,
    request: Buffer,
    read: (message: Buffer) => Reply,
    about: About,
    askedAt?: number,
  ): Promise<Reply> {
    const work = async (uses: Uses): Promise<Reply> => {
      let loggedIn = false
      for (let failures = 0; ; ) {
        const channel = uses(this.#connections.current ?? (await this.#connections.open()))
        const { metadata } = this.#connections
        try {
          return read(await channel.ask(path, request, metadata))
        } catch (error) {
          this.#judge(channel, error)
          if (error instanceof ConnectionError && !error.sent) {
            failures += 1
            // At once after the first: most breaks are of one connection, and another server is there.
            if (failures > 1) await pause(this.schedule, retryPauseMs(failures - 1))
            // No connection is opened for a command that is over.
            uses(channel)
            continue
          }
          if (loggedIn || !isAboutToken(error)) throw error
          loggedIn = true
          await this.#connections.renewToken(channel, metadata['token'])
        }
      }
    }
    return this.inTime(about, this.timeoutMs, work, askedAt)
  }

  /** A connection that another may be better than is not used again. */
  #judge(channel: Channel, error: unknown): void {
    if (error instanceof GrpcError && !WORN_OUT.includes(error.code)) return
    this.drop(channel)
  }
}

/** The server has forgotten the token, or rights have changed since: nothing was done. */
function isAboutToken(error: unknown): boolean {
  return error instanceof GrpcError && saysTokenIsOld(error.message)
}

export function saysTokenIsOld(reason: string): boolean {
  return /invalid auth token|revision in header is old/.test(reason)
}
