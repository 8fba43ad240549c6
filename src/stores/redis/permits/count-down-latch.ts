import { StoreError } from '../../../base/errors/errors.js'
import type { CountDownLatchPort } from '../../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  RenewRequest,
  Watch,
} from '../../../port/lock-port.js'
import { countListeners } from '../channels/announcements.js'
import { answerTo } from '../connection/failure.js'
import type { Argument } from '../connection/link.js'
import { latchChannelOf, REQUEST_KEPT_MS, requestKeyOf } from '../keys/semaphore-keys.js'
import { listIn, textIn, wholeIn, yesIn } from '../scripts/replies.js'
import { runScript, type Script } from '../scripts/script.js'
import { latchCountDown, latchDelete, latchSet } from '../scripts/scripts.generated.js'
import { AnnouncedPort } from './announced-port.js'

/** The message of a latch that has opened, and of one that got a count. */
const OPEN = '0'
const CLOSED = '1'

const ENTERED: AcquireReply = { outcome: 'granted', room: Infinity }

/**
 * The latch as Redisson's `RCountDownLatch` keeps it: a count, and no key once that is zero. A caller gets in by seeing it open;
 * the store notes no owner.
 */
export class RedisCountDownLatchPort extends AnnouncedPort implements CountDownLatchPort {
  async acquire({ name }: AcquireRequest): Promise<AcquireReply> {
    if ((await this.count(name)) === 0) return ENTERED
    return { outcome: 'busy', remainingMs: Infinity, holder: undefined }
  }

  async abandon(): Promise<void> {}

  async release(): Promise<ReleaseReply> {
    return 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async () => true)
  }

  protected channelOf(name: string): string {
    return latchChannelOf(this.key(name))
  }

  /** After the message of a new count waiters look too: somebody may have removed the latch in between, which opened it. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.parts.channels.hear(this.channelOf(name), (text) =>
      onNews(text === OPEN ? { room: Infinity } : undefined),
    )
  }

  async countWatchers(name: string): Promise<number> {
    const [listeners = 0] = await countListeners(this.link, name, this.channelOf(name))
    return listeners
  }

  async inspect(name: string): Promise<LockState> {
    const open = (await this.count(name)) === 0
    return { name, owners: [], remainingMs: open ? 0 : Infinity }
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.delete(name, crypto.randomUUID())
  }

  /** None: a latch looks like any other number. */
  async *list(): AsyncIterable<LockState> {}

  trySetCount(name: string, count: number, request: string): Promise<boolean> {
    return this.#run(latchSet, name, request, [count], CLOSED, yesIn)
  }

  countDown(name: string, request: string): Promise<number> {
    return this.#run(latchCountDown, name, request, [], OPEN, (left) => wholeIn(left, 0))
  }

  async count(name: string): Promise<number> {
    const key = this.key(name)
    const about = { command: 'GET', lockName: name }
    const text = await answerTo(about, this.link.send(key, about, 'GET', key), (reply) =>
      reply === null ? '0' : textIn(reply),
    )
    const count = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
    if (Number.isSafeInteger(count)) return Math.max(count, 0)
    const hint =
      'The key holds a string that is not a count: choose another name, or a keyPrefix for latches.'
    throw new StoreError('wrong-type', 'GET', { lockName: name, transient: false, hint })
  }

  delete(name: string, request: string): Promise<boolean> {
    return this.#run(latchDelete, name, request, [], OPEN, yesIn)
  }

  /** Runs a script that answers {outcome, told}, and publishes `text` from here if the script could not. */
  #run<Result>(
    script: Script,
    name: string,
    request: string,
    args: readonly Argument[],
    text: string,
    read: (outcome: number) => Result,
  ): Promise<Result> {
    const key = this.key(name)
    return runScript(
      this.link,
      script,
      [key, requestKeyOf(key, request)],
      name,
      [...args, this.channelOf(name), this.link.publishCommand, REQUEST_KEPT_MS],
      async (reply) => {
        const [outcome, told] = listIn(reply, 2, 2)
        const result = read(wholeIn(outcome, 0))
        if (wholeIn(told, -1) < 0) await this.others(name, -1, text)
        return result
      },
    )
  }
}
