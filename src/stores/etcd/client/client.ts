import { retryPauseMs } from '../../../base/time/back-off.js'
import { pause, type Schedule } from '../../../base/time/schedule.js'
import { type About, closedError, timeoutOf } from '../../../port/failure.js'
import type { Call, CallListener } from './call.js'
import type { Channel } from './channel.js'
import { Connections, type EtcdAddress } from './connections.js'
import { failureOf } from './failure.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'
import { type LeaseReply, type RangeReply, replies, type TxnReply } from './replies.js'
import { type RangeTerms, requests, type Span, type Transaction } from './requests.js'

interface Command {
  readonly path: string
  /** Whether the client may repeat it: the second time it changes nothing, and gives the same answer. */
  readonly repeatable?: boolean
  /** Whether the server would take further requests by the same call. */
  readonly goesOn?: boolean
}

const commands = {
  range: { path: '/etcdserverpb.KV/Range', repeatable: true },
  deleteRange: { path: '/etcdserverpb.KV/DeleteRange' },
  txn: { path: '/etcdserverpb.KV/Txn' },
  leaseGrant: { path: '/etcdserverpb.Lease/LeaseGrant' },
  leaseRevoke: { path: '/etcdserverpb.Lease/LeaseRevoke' },
  leaseKeepAlive: { path: '/etcdserverpb.Lease/LeaseKeepAlive', repeatable: true, goesOn: true },
} as const satisfies Readonly<Record<string, Command>>

export interface Conversation {
  readonly channel: Channel
  readonly stream: Call | undefined
}

/** Says which connection some work uses now. Throws when nobody awaits the result of that work any more. */
type Uses = (channel: Channel) => Channel

/** Failures after which another server may do better. */
const WORN_OUT: readonly number[] = [grpcCodes.unavailable, grpcCodes.deadlineExceeded]

/** How often one command logs in: each change of users or rights makes a token worthless. */
const MOST_LOGINS = 3

/**
 * etcd's commands. Each settles within `timeoutMs`, and fails with a `StoreError`. The client repeats a command that the server may have
 * carried out only if that does no harm: otherwise a transient failure leaves the outcome unknown.
 */
export class EtcdClient {
  readonly connections: Connections
  /** Rejects the commands without an answer. */
  readonly #pending = new Set<() => void>()
  #closed = false

  constructor(
    private readonly address: EtcdAddress,
    readonly schedule: Schedule,
    /** How long a server has to answer. */
    readonly timeoutMs: number,
  ) {
    this.connections = new Connections(address, schedule, timeoutMs)
  }

  range(terms: RangeTerms, about: About): Promise<RangeReply> {
    return this.#command(commands.range, requests.range(terms), replies.range, about)
  }

  /** How many keys were there. */
  deleteRange(span: Span, about: About): Promise<number> {
    return this.#command(commands.deleteRange, requests.deleteRange(span), replies.deleted, about)
  }

  /** @param askedAt when its time began, if the client could not send it at once */
  txn(terms: Transaction, about: About, askedAt?: number): Promise<TxnReply> {
    const read = (message: Buffer): TxnReply => replies.txn(message, terms)
    return this.#command(commands.txn, requests.txn(terms), read, about, { askedAt })
  }

  /** The server may grant a longer time. */
  leaseGrant(ttlSeconds: number, about: About): Promise<LeaseReply> {
    return this.#command(commands.leaseGrant, requests.leaseGrant(ttlSeconds), replies.leaseGrant, about)
  }

  /** Ends it, with all its keys. */
  leaseRevoke(id: bigint, about: About): Promise<void> {
    return this.#command(commands.leaseRevoke, requests.lease(id), replies.leaseRevoke, about)
  }

  /** Starts its time anew. False: it has ended. Rejects after `timeoutMs` at the latest. */
  async leaseKeepAlive(id: bigint, about: About, timeoutMs: number): Promise<boolean> {
    const read = (message: Buffer): LeaseReply => replies.leaseKeepAlive(message, id)
    const terms = { timeoutMs }
    return (
      (await this.#command(commands.leaseKeepAlive, requests.lease(id), read, about, terms)).ttlSeconds > 0
    )
  }

  /** Opens a call with many messages in both directions, as part of some work. The listener hears of its end. */
  async converse(path: string, listener: CallListener): Promise<Conversation> {
    const channel = await this.connections.open()
    const stream = channel.converse(path, this.connections.metadata, {
      message: listener.message,
      end: (error) => {
        this.#judge(channel, error)
        listener.end(error)
      },
    })
    return { channel, stream }
  }

  /**
   * The result of work with the server; a `StoreError` if it fails, or takes too long. Work that takes too long breaks its connection,
   * unless most of that time had passed before it got the connection.
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
        reject(timeoutOf(about, timeoutMs, 'etcd'))
        if (used && schedule.clock.now() - begunAt >= timeoutMs / 2) this.connections.drop(used)
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
      work(uses)
        .finally(over)
        .then(resolve, (error: unknown) => reject(failureOf(error, about)))
    })
  }

  /** Logs in anew, because the server no longer knows that token. */
  async renewToken(about: About, used: string | undefined): Promise<void> {
    await this.inTime(about, this.timeoutMs, async (uses) => {
      await this.connections.renewToken(uses(await this.connections.open()), used)
    })
  }

  /** Ends its connection, and rejects what is under way. Waits for nothing. */
  close(): void {
    this.#closed = true
    for (const reject of [...this.#pending]) reject()
    this.connections.close()
  }

  #command<Reply>(
    { path, repeatable = false, goesOn = false }: Command,
    request: Buffer,
    read: (message: Buffer) => Reply,
    about: About,
    { askedAt, timeoutMs = this.timeoutMs }: { askedAt?: number | undefined; timeoutMs?: number } = {},
  ): Promise<Reply> {
    const work = async (uses: Uses): Promise<Reply> => {
      let logins = 0
      for (let failures = 0; ; ) {
        const channel = uses(this.connections.current ?? (await this.connections.open()))
        const { metadata } = this.connections
        try {
          return read(await channel.ask(path, request, metadata, goesOn))
        } catch (error) {
          this.#judge(channel, error)
          if (error instanceof ConnectionError && (repeatable || !error.sent)) {
            failures += 1
            // At once after the first: most breaks are of one connection, and another server is there.
            if (failures > 1) await pause(this.schedule, retryPauseMs(failures - 1))
            // A command that is over opens no connection.
            uses(channel)
            continue
          }
          if (logins === MOST_LOGINS || !this.#isAboutToken(error)) throw error
          logins += 1
          await this.connections.renewToken(channel, metadata['token'])
        }
      }
    }
    return this.inTime(about, timeoutMs, work, askedAt)
  }

  /** Leaves a connection that broke, and drops one whose server does not answer in time, or cannot. */
  #judge(channel: Channel, error: unknown): void {
    if (!(error instanceof GrpcError)) this.connections.leave(channel)
    else if (WORN_OUT.includes(error.code)) this.connections.drop(channel)
  }

  /** Whether the server refused because it has forgotten the token, or users or rights have changed since. It then did nothing. */
  #isAboutToken(error: unknown): boolean {
    return (
      this.address.credentials !== undefined && error instanceof GrpcError && saysTokenIsOld(error.message)
    )
  }
}

/** Whether that reason means an old token. The last text goes to clients that logged in before the server required it. */
export function saysTokenIsOld(reason: string): boolean {
  return /invalid auth token|revision of auth store is old|user name is empty/.test(reason)
}
