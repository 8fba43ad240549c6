import { StoreError } from '../../../base/errors/errors.js'
import { LockUpgradeError } from '../../../base/errors/upgrade-error.js'
import type { Owner } from '../../../base/identity/owner.js'
import type { FencedPort, ReadWritePorts, TenureState } from '../../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  OwnerState,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../../port/lock-port.js'
import { ownerOf, type Place } from '../../line/place.js'
import type { Argument } from '../connection/link.js'
import { processChannelsOf, undivided } from '../keys/companion-key.js'
import { holdsKeyOf, keyOfHolds, readWriteKeysOf, renewedKeysOf, scansFor } from '../keys/read-write-keys.js'
import { type AcquireAnswer, acquireAnswer } from '../line/acquire-reply.js'
import type { LineMode } from '../line/line-terms.js'
import { Lines, LONGEST_LOOK_MS } from '../line/lines.js'
import { readWriteRenewal, renewEach } from '../renewals/lease-renewals.js'
import {
  listIn,
  ownerState,
  tenureReply,
  timeIn,
  timeLeft,
  UnreadableReply,
  wholeIn,
} from '../scripts/replies.js'
import { scanKeys } from '../scripts/scan.js'
import { runScript, type Script } from '../scripts/script.js'
import { rwAcquire, rwForceUnlock, rwInspect, rwRelease, rwTenure } from '../scripts/scripts.generated.js'
import type { KindThread } from '../watchdog-thread/thread-renewals.js'
import { type LockParts, RedisPort } from './redis-port.js'

/** What a release does with the owner's place in line: nothing, leave it, or leave it and give back only what the place was granted. */
const [STAYS, LEAVES, LEAVES_PLACE] = [0, 1, 2]
/** The answer to an owner that reads and asks to write. */
const UPGRADE = -1

/** The two sides of the read-write locks of one client, in whose lines it stands for both. */
export function readWritePorts(parts: LockParts): ReadWritePorts {
  const keyOf = (name: string): string => holdsKeyOf(parts.keyPrefix + name)
  const lines = new Lines(parts.channels, { keyOf, releaseChannels: () => [] }, parts)
  return {
    read: new ReadWriteLockPort('r', parts, lines, parts.renewals?.of('read')),
    write: new ReadWriteLockPort('w', parts, lines, parts.renewals?.of('write')),
  }
}

/**
 * One side of the read-write lock. Readers and writers have a lease each and stand in one line; the end of a hold grants the lock to the
 * next writer, or to all readers in front of the next writer, and tells their processes.
 */
class ReadWriteLockPort extends RedisPort implements FencedPort, LineMode {
  readonly bound = true
  readonly line: StoreLine

  constructor(
    readonly mode: 'r' | 'w',
    parts: LockParts,
    private readonly lines: Lines,
    readonly thread: KindThread | undefined,
  ) {
    super(parts)
    this.line = { placeMs: LONGEST_LOOK_MS, hears: (name) => lines.hears(name) }
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    // It runs before the first grant: a block of the event loop may come right after that.
    await this.thread?.start()
    return await this.lines.acquire(this, request)
  }

  /** @throws LockUpgradeError where the owner reads and asked to write. */
  async ask(
    { name, owner, heldBefore, leaseMs }: AcquireRequest,
    looksMs: number,
    terms: string,
    read: (answer: AcquireAnswer) => AcquireReply,
  ): Promise<AcquireReply> {
    const args = [owner, heldBefore, leaseMs, looksMs, terms]
    const reply = await this.#run(rwAcquire, name, args, (told) =>
      told === UPGRADE ? UPGRADE : read(acquireAnswer(told)),
    )
    if (reply === UPGRADE) throw new LockUpgradeError(name, owner)
    return reply
  }

  readTenure(name: string, owner: Owner): Promise<TenureState> {
    const keys = renewedKeysOf(this.key(name))
    return runScript(this.link, rwTenure, keys, name, [`${this.mode}:${owner}`], tenureReply)
  }

  async abandon(request: AcquireRequest): Promise<void> {
    this.lines.leave(this, request)
    await this.#release(request.name, request.owner, request.heldBefore + 1, LEAVES)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { breaks } = this.link
    const code = await this.#release(name, owner, heldBefore, STAYS)
    if (code >= 0) return code === 0 ? 'still-held' : 'released'
    return heldBefore === 1 ? this.foundNone(repeated, breaks) : 'not-owner'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    const { renewing, keyPrefix } = this.parts
    return renewEach(renewing, requests, (request) => readWriteRenewal(this.mode, keyPrefix, request))
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.lines.watch(this, name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    return (await this.#inspect(name)).state
  }

  /** Processes in line, for whatever they wait. */
  async countWatchers(name: string): Promise<number> {
    return (await this.#inspect(name)).waitingClients
  }

  async forceUnlock(name: string): Promise<boolean> {
    return (await this.#run(rwForceUnlock, name, [], (reply) => this.#told(name, wholeIn(reply, 0, 2)))) > 0
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    const { link, keyPrefix } = this.parts
    for (const { prefix, glob, accepts } of scansFor(keyPrefix, pattern)) {
      for await (const holdsKey of scanKeys(link, prefix, glob)) {
        const key = keyOfHolds(holdsKey)
        if (key === undefined || !accepts(holdsKey)) continue
        const state = await this.inspect(key.slice(keyPrefix.length))
        if (state.owners.length > 0) yield state
      }
    }
  }

  #release(name: string, owner: Owner, heldBefore: number, leaves: number): Promise<number> {
    return this.#run(rwRelease, name, [owner, heldBefore, leaves], (reply) =>
      this.#told(name, wholeIn(reply, -2, 1)),
    )
  }

  leavePlace(name: string, place: Place): Promise<number> {
    return this.#release(name, ownerOf(place), 1, LEAVES_PLACE)
  }

  /** The lock as this side shows it, and how many clients wait for it. */
  #inspect(name: string): Promise<{ readonly waitingClients: number; readonly state: LockState }> {
    const keys = readWriteKeysOf(this.key(name))
    return runScript(this.link, rwInspect, keys, name, [this.mode], (reply) => {
      const [waitingClients, left, ...fields] = listIn(reply, 2)
      if (fields.length % 3 !== 0) throw new UnreadableReply(reply)
      const owners: OwnerState[] = []
      for (let index = 0; index < fields.length; index += 3)
        owners.push(...ownerState(fields[index], fields[index + 1], timeIn(fields[index + 2])))
      const state = { name, owners, remainingMs: timeLeft(left) }
      return { waitingClients: wholeIn(waitingClients, 0), state }
    })
  }

  /** A script that made room and may not publish to the next in line answers ±2; the next finds out at its look. */
  #told(name: string, code: number): number {
    if (Math.abs(code) !== 2) return code
    const { link, onError } = this.parts
    const hint =
      'Grant the ACL user the channels holdfast:*, or those of its label (docs/wire-layout.md): without them waiters learn of a release late.'
    onError(new StoreError('permission', link.publishCommand, { lockName: name, transient: false, hint }))
    return 1
  }

  #run<Result>(
    script: Script,
    name: string,
    args: readonly Argument[],
    read: (reply: unknown) => Result,
  ): Promise<Result> {
    const { link } = this
    const { inCluster } = this.parts
    const keys = readWriteKeysOf(this.key(name))
    const constants = [link.publishCommand, processChannelsOf(keys[0], inCluster), this.mode]
    return runScript(link, script, undivided(keys, inCluster), name, [...constants, ...args], read)
  }
}
