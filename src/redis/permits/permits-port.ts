import type { PermitsPort } from '../../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
} from '../../ports/lock-port.js'
import type { Argument } from '../connection/link.js'
import type { LockParts } from '../locks/reentrant-lock.js'
import { listIn, permitsIn, timeLeft, UnreadableReply, wholeIn, yesIn } from '../scripts/replies.js'
import { type Keys, runScript, type Script } from '../scripts/script.js'
import { permitsAdd, permitsSet } from '../scripts/scripts.generated.js'
import type { KindRenewals } from '../watchdog-thread/thread-renewals.js'
import { AnnouncedPort } from './announced-port.js'
import { REQUEST_KEPT_MS, requestKeyOf, semaphoreChannelOf } from './semaphore-keys.js'

/** What semaphores of either kind have in common in Redis: a number of available permits. */
export abstract class RedisPermitsPort extends AnnouncedPort implements PermitsPort {
  readonly thread: KindRenewals | undefined

  constructor(parts: LockParts, kind: 'semaphore' | 'permits') {
    super(parts)
    this.thread = parts.renewals?.of(kind)
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    // It runs before the first grant: a block of the event loop may come right after that.
    const starting = this.thread?.start()
    if (starting) await starting
    return await this.take(request)
  }

  protected abstract take(request: AcquireRequest): Promise<AcquireReply>
  abstract abandon(request: AcquireRequest): Promise<void>
  abstract release(request: ReleaseRequest): Promise<ReleaseReply>
  abstract renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[]
  abstract inspect(name: string): Promise<LockState>
  abstract forceUnlock(name: string): Promise<boolean>
  abstract list(pattern: string): AsyncIterable<LockState>
  abstract availablePermits(name: string): Promise<number>

  /** The keys beside the number; without a number they mean nothing. */
  protected abstract companionsOf(key: string): readonly string[]

  protected channelOf(name: string): string {
    return semaphoreChannelOf(this.key(name))
  }

  protected roomIn(text: string): number | undefined {
    return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  }

  trySetPermits(name: string, permits: number, request: string, ttlMs = 0): Promise<boolean> {
    return this.#change(permitsSet, name, request, [permits, ttlMs])
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    await this.#change(permitsAdd, name, request, [delta, 0])
  }

  addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return this.#change(permitsAdd, name, request, [delta, 1])
  }

  protected run<Result>(
    script: Script,
    name: string,
    keys: Keys,
    args: readonly Argument[],
    read: (reply: unknown) => Result | Promise<Result>,
  ): Promise<Result> {
    // Of one permit, which has one waiter look.
    const announces = { channel: this.channelOf(name), text: '1' }
    return runScript(this.link, script, keys, name, args, read, { announces })
  }

  /** Reads {permits, available, told}. Announces from here if the script could not. */
  protected async returned(name: string, reply: unknown): Promise<{ permits: number; others: number }> {
    const [first, second, third] = listIn(reply, 3, 3)
    const [permits, available, told] = [permitsIn(first), permitsIn(second), wholeIn(third, -1)]
    if (permits < 0) throw new UnreadableReply(reply)
    const others = await this.others(name, told, String(available))
    // Where permits were to be had before as well, nobody was waiting for these.
    return { permits, others: available - permits < 1 ? others : 0 }
  }

  /**
   * Reads the outcome of a release. One that may have been delivered before finds nothing left to release: it was carried out
   * then.
   */
  protected async released(
    { name, repeated }: ReleaseRequest,
    breaksBefore: number,
    reply: unknown,
  ): Promise<ReleaseReply> {
    const { permits, others } = await this.returned(name, reply)
    if (permits === 0) return repeated || this.link.breaks !== breaksBefore ? 'released' : 'not-owner'
    return others > 0 ? { others } : 'released'
  }

  /** Runs a script that takes all permits from their holders; tells whether there were any. */
  protected async freed(script: Script, name: string, keys: Keys): Promise<boolean> {
    const given = await this.run(
      script,
      name,
      keys,
      this.announcing(name),
      async (reply) => await this.returned(name, reply),
    )
    return given.permits > 0
  }

  #change(script: Script, name: string, request: string, args: readonly Argument[]): Promise<boolean> {
    const key = this.key(name)
    const keys: Keys = [key, requestKeyOf(key, request), ...this.companionsOf(key)]
    return this.run(
      script,
      name,
      keys,
      [...args, ...this.announcing(name), REQUEST_KEPT_MS],
      async (reply) => {
        const { permits: changed } = await this.returned(name, reply)
        return yesIn(changed)
      },
    )
  }
}

/** Reads {granted, available, time until the first lease ends}. */
export function permitsReply(reply: unknown): AcquireReply {
  const [granted, left, first] = listIn(reply, 3, 3)
  const [available, firstEndMs] = [permitsIn(left), timeLeft(first)]
  if (!yesIn(granted)) return { outcome: 'busy', remainingMs: firstEndMs, holder: undefined }
  if (available < 1) return { outcome: 'granted', room: 0, fullForMs: firstEndMs }
  return { outcome: 'granted', room: available }
}
