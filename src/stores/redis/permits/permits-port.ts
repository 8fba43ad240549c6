import type { Owner } from '../../../base/identity/owner.js'
import type { PermitsPort } from '../../../port/kind-ports.js'
import { withoutQuarantine } from '../../../port/lease.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../../port/lock-port.js'
import { MOST_PERMITS, outOfRange } from '../../../port/permit-range.js'
import { modeOf, ownerOf, type Place } from '../../line/place.js'
import type { Argument } from '../connection/link.js'
import { companionOf, processChannelsOf, undivided } from '../keys/companion-key.js'
import { REQUEST_KEPT_MS, requestKeyOf, semaphoreChannelOf } from '../keys/semaphore-keys.js'
import { acquireAnswer } from '../line/acquire-reply.js'
import type { LineMode, LineNames } from '../line/line-terms.js'
import { Lines, LONGEST_LOOK_MS } from '../line/lines.js'
import { countWaiting, rosterOf } from '../line/waiting-clients.js'
import type { LockParts } from '../locks/redis-port.js'
import { renewalOf, renewEach } from '../renewals/lease-renewals.js'
import { listIn, permitsIn, UnreadableReply, wholeIn } from '../scripts/replies.js'
import { type Keys, runScript, type Script } from '../scripts/script.js'
import {
  permitsAcquire,
  permitsAdd,
  permitsCount,
  permitsForceUnlock,
  permitsRelease,
  permitsSet,
} from '../scripts/scripts.generated.js'
import type { KindThread } from '../watchdog-thread/thread-renewals.js'
import { AnnouncedPort } from './announced-port.js'

/** What semaphores of either kind have in common in Redis: a number of available permits, and the line of the calls that wait for them. */
export abstract class RedisPermitsPort extends AnnouncedPort implements PermitsPort {
  readonly thread: KindThread | undefined
  /** A place is for so many permits as its call wants. */
  readonly placePer = 'call'
  readonly line: StoreLine
  readonly #lines: Lines

  constructor(
    parts: LockParts,
    private readonly kind: 'semaphore' | 'permits',
  ) {
    super(parts)
    this.thread = parts.renewals?.of(kind)
    const names: LineNames = {
      keyOf: (name) => this.key(name),
      releaseChannels: (name) => [rosterOf(this.channelOf(name)), this.channelOf(name)],
    }
    this.#lines = new Lines(parts.channels, names, parts)
    this.line = { placeMs: LONGEST_LOOK_MS, hears: (name) => this.#lines.hears(name) }
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    // It runs before the first grant: a block of the event loop may come right after that.
    await this.thread?.start()
    const { leaseMs, permits = 1 } = request
    const { clock, quarantineMs } = this.parts
    const sentAt = clock.now()
    const reply = await this.#lines.acquire(this.#mode(permits), request)
    if (reply.outcome !== 'granted' || reply.fence === undefined) return reply
    // In the place of a token: until when the number lasts. What is of it ends then, however long its lease.
    const granted = reply.granted ?? { since: sentAt, leaseMs }
    const lastsMs = Math.min(granted.leaseMs, Number(reply.fence)) - quarantineMs
    return { outcome: 'granted', granted: { since: granted.since, leaseMs: lastsMs } }
  }

  async abandon(request: AcquireRequest): Promise<void> {
    const { name, owner, permits = 1 } = request
    this.#lines.leave(this.#mode(permits), request)
    await this.#leave(name, owner, permits)
  }

  release({ name, owner, permits = 0, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { breaks } = this.link
    return this.run(permitsRelease, name, [owner, permits, 0], async (reply): Promise<ReleaseReply> => {
      const { permits: released, others } = await this.returned(name, reply)
      if (released === 0) return this.foundNone(repeated, breaks)
      return others > 0 ? { others } : 'released'
    })
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    const { renewing, keyPrefix, quarantineMs } = this.parts
    const answers = renewEach(renewing, requests, (request) => renewalOf[this.kind](keyPrefix, request))
    return answers.map(async (answer) => withoutQuarantine(await answer, quarantineMs))
  }

  abstract inspect(name: string): Promise<LockState>
  abstract list(pattern: string): AsyncIterable<LockState>

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#lines.watch({ leavePlace: (of, place) => this.#leavePlace(of, place) }, name, onNews)
  }

  countWatchers(name: string): Promise<number> {
    const channel = this.channelOf(name)
    return countWaiting(this.link, name, [rosterOf(channel), channel], this.#lineKeys(name)[1])
  }

  async availablePermits(name: string): Promise<number> {
    return (await this.count(name)).available
  }

  /** Takes all permits from their holders; tells whether there were any. */
  async forceUnlock(name: string): Promise<boolean> {
    const given = await this.run(permitsForceUnlock, name, [], (reply) => this.returned(name, reply))
    return given.permits > 0
  }

  async trySetPermits(name: string, permits: number, request: string, ttlMs = 0): Promise<boolean> {
    return (await this.#change(permitsSet, name, request, [permits, ttlMs])) === 1
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    await this.#add(name, delta, request, 0)
  }

  addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return this.#add(name, delta, request, 1)
  }

  /** The keys beside the number; without a number they mean nothing. */
  protected abstract companionsOf(key: string): readonly string[]

  /** How many are available, and how many leases there are. */
  protected async count(name: string): Promise<{ available: number; out: number }> {
    return await this.run(permitsCount, name, [], (reply) => {
      const [available, out] = listIn(reply, 2, 2)
      return { available: permitsIn(available), out: wholeIn(out, 0) }
    })
  }

  protected channelOf(name: string): string {
    return semaphoreChannelOf(this.key(name))
  }

  /** @param request the id under which the script keeps its outcome */
  protected run<Result>(
    script: Script,
    name: string,
    args: readonly Argument[],
    read: (reply: unknown) => Result | Promise<Result>,
    request?: string,
  ): Promise<Result> {
    const { link } = this
    const { inCluster } = this.parts
    const key = this.key(name)
    const channel = this.channelOf(name)
    const before = rosterOf(channel).slice(0, -channel.length)
    const kind = this.kind === 'semaphore' ? 's' : 'p'
    const what = `${kind} ${link.publishCommand} ${processChannelsOf(key, inCluster)} ${before} ${channel}`
    const own: Keys = [key, ...this.#lineKeys(name), ...this.companionsOf(key)]
    const keys = request === undefined ? own : ([...own, requestKeyOf(key, request)] as const)
    // Says one permit, so that one waiter looks.
    const announces = { channel, text: '1' }
    return runScript(link, script, undivided(keys, inCluster), name, [what, ...args], read, { announces })
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

  #leave(name: string, owner: Owner, permits: number): Promise<unknown> {
    return this.run(permitsRelease, name, [owner, permits, 1], (reply) => this.returned(name, reply))
  }

  #leavePlace(name: string, place: Place): Promise<unknown> {
    return this.#leave(name, ownerOf(place), Number(modeOf(place)))
  }

  #mode(permits: number): LineMode {
    return {
      mode: String(permits),
      ask: ({ name, owner, leaseMs }, looksMs, terms, read) =>
        this.run(permitsAcquire, name, [owner, permits, leaseMs, looksMs, terms], (reply) =>
          read(acquireAnswer(reply)),
        ),
      leavePlace: (name, place) => this.#leavePlace(name, place),
    }
  }

  #lineKeys(name: string): readonly [line: string, processes: string] {
    const key = this.key(name)
    const prefix = `holdfast_${this.kind}`
    return [companionOf(`${prefix}_line`, key), companionOf(`${prefix}_processes`, key)]
  }

  async #add(name: string, delta: number, request: string, onlyIfSet: 0 | 1): Promise<boolean> {
    const added = await this.#change(permitsAdd, name, request, [delta, onlyIfSet], [MOST_PERMITS])
    if (added === 2) throw outOfRange(name, delta)
    return added === 1
  }

  #change(
    script: Script,
    name: string,
    request: string,
    args: readonly Argument[],
    more: readonly Argument[] = [],
  ): Promise<number> {
    const read = async (reply: unknown): Promise<number> =>
      wholeIn((await this.returned(name, reply)).permits, 0, 2)
    return this.run(script, name, [...args, REQUEST_KEPT_MS, ...more], read, request)
  }
}
