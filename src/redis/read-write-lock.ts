import type { Clock } from '../core/clock.js'
import { StoreError } from '../errors.js'
import type { FencedPort, TenureState } from '../fence/fenced-port.js'
import type { ReadWritePorts } from '../kind-ports.js'
import type { Owner } from '../owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  LineState,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../store.js'
import type { Argument, Link } from './link.js'
import { holdsKeyOf, keyOfHolds, readWriteKeysOf, renewedKeysOf, scansFor } from './read-write-keys.js'
import { type LineGrant, Places, toldGrants } from './read-write-places.js'
import {
  acquireReply,
  type InspectReply,
  inspectReply,
  type LineReply,
  lineReply,
} from './read-write-replies.js'
import type { ReleaseChannels } from './release-channel.js'
import { renewal } from './renewal.js'
import { scanKeys } from './scan.js'
import { runScript, type Script } from './script.js'
import {
  rwAcquire,
  rwForceUnlock,
  rwInspect,
  rwKeepUp,
  rwRelease,
  rwRenew,
  rwTenure,
} from './scripts.generated.js'
import { tenureReply } from './tenure-reply.js'
import { undivided } from './undivided.js'

/** So long the counter of tokens is kept beyond the lease it was last used for; the scripts have the same number. */
const FENCE_RETENTION_MS = 86_400_000

export interface ReadWriteLockSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long its places in line last without being kept up. */
  readonly waiterLeaseMs: number
  /** The lease that the watchdog asks for: a grant made in line needs no command then, the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
}

/** How a port reaches Redis. */
export interface ReadWriteLink {
  readonly link: Link
  readonly channels: ReleaseChannels
  readonly keyPrefix: string
  readonly onError: (error: unknown) => void
}

/** The two sides of the read-write locks of one client. */
export function readWritePorts(to: ReadWriteLink, settings: ReadWriteLockSettings): ReadWritePorts {
  return {
    read: new ReadWriteLockPort('r', to, settings),
    write: new ReadWriteLockPort('w', to, settings),
  }
}

/**
 * One side of the read-write lock. Readers and writers have a lease each and stand in one line; whatever ends a hold lets in the
 * next writer, or all readers in front of the next writer, and tells their clients.
 */
class ReadWriteLockPort implements FencedPort, StoreLine {
  readonly fenced = true
  readonly shared: boolean
  readonly line: StoreLine = this
  readonly waiterLeaseMs: number
  readonly #places = new Places()

  constructor(
    private readonly side: 'r' | 'w',
    private readonly to: ReadWriteLink,
    private readonly settings: ReadWriteLockSettings,
  ) {
    this.shared = side === 'r'
    this.waiterLeaseMs = settings.waiterLeaseMs
  }

  get watchesInOrder(): boolean {
    return this.to.link.subscribesInOrder
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, waits } = request
    const told = this.#takeGrant(request)
    if (told) return told
    if (waits) this.#places.asked(name, owner)
    let inLine = false
    try {
      const sentAt = this.settings.clock.now()
      const reply = await this.#ask(request)
      const answer = acquireReply(reply, name, owner)
      inLine = waits === true && answer.outcome === 'busy'
      if (!inLine) return answer
      this.#places.inLine(name, owner, sentAt, reply.serverUs)
      // The message may have been quicker than the answer.
      return this.#takeGrant(request) ?? answer
    } finally {
      if (waits && !inLine) this.#places.left(name, owner)
    }
  }

  readTenure(name: string, owner: Owner): Promise<TenureState> {
    const keys = renewedKeysOf(this.#key(name))
    return runScript(this.to.link, rwTenure, keys, name, [this.#member(owner)], tenureReply)
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    this.#places.left(name, owner)
    await this.#release(name, owner, heldBefore + 1, true)
  }

  /** What the store keeps a line for is never handed over by a process. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { link } = this.to
    const { breaks } = link
    const { code } = await this.#release(name, owner, heldBefore, false)
    if (code >= 0) return code === 0 ? 'still-held' : 'released'
    // A last release that may have been delivered before finds nothing left to release: it was carried out then.
    return heldBefore === 1 && (repeated || link.breaks !== breaks) ? 'released' : 'not-owner'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    const { link } = this.to
    return link.together(() =>
      requests.map(({ name, owner, leaseMs, withinMs }) => {
        const args = [this.#member(owner), leaseMs, FENCE_RETENTION_MS]
        return renewal(link, rwRenew, renewedKeysOf(this.#key(name)), name, args, withinMs)
      }),
    )
  }

  async keepUp(name: string): Promise<LineState> {
    const believed = this.#places.in(name)
    const sentAt = this.settings.clock.now()
    const members = believed.map((owner) => this.#member(owner))
    const { code, serverUs, rest } = await this.#run(rwKeepUp, name, members)
    const allInLine = code === 1
    if (allInLine) for (const owner of believed) this.#places.inLine(name, owner, sentAt, serverUs)
    return { remainingMs: Math.max(Number(rest[0]), 0), askAgain: !allInLine }
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    const channel = `${holdsKeyOf(this.#key(name))}:${this.settings.clientId}`
    return this.to.channels.hear(channel, (text) => {
      if (text === undefined) return onNews()
      for (const grant of toldGrants(text)) {
        if (grant.member !== this.#member(grant.owner)) continue
        this.#places.told(name, grant)
        onNews({ grantedTo: grant.owner })
      }
    })
  }

  async inspect(name: string): Promise<LockState> {
    return (await this.#inspect(name)).state
  }

  /** Clients in line, for whatever they wait. */
  async countWatchers(name: string): Promise<number> {
    return (await this.#inspect(name)).waitingClients
  }

  async forceUnlock(name: string): Promise<boolean> {
    return (await this.#run(rwForceUnlock, name, [this.side])).code === 1
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const node of await this.to.link.nodes()) {
      for (const { prefix, glob, accepts } of scansFor(this.to.keyPrefix, pattern)) {
        for await (const holdsKey of scanKeys(node, prefix, glob)) {
          const key = keyOfHolds(holdsKey)
          if (key === undefined || !accepts(holdsKey)) continue
          const state = await this.inspect(key.slice(this.to.keyPrefix.length))
          if (state.owners.length > 0) yield state
        }
      }
    }
  }

  #takeGrant({ name, owner, heldBefore, leaseMs, waits }: AcquireRequest): AcquireReply | undefined {
    // A lease of its own is set by a command, which finds the hold that was granted.
    if (!waits || heldBefore > 0 || leaseMs !== this.settings.watchdogLeaseMs) return undefined
    const grant = this.#places.take(name, owner, this.settings.clock.now())
    return grant && granted(grant)
  }

  #ask({ name, owner, heldBefore, leaseMs, waits }: AcquireRequest): Promise<LineReply> {
    return this.#run(rwAcquire, name, [this.side, owner, heldBefore, leaseMs, waits ? 1 : 0])
  }

  #release(name: string, owner: Owner, heldBefore: number, leaves: boolean): Promise<LineReply> {
    return this.#run(rwRelease, name, [this.#member(owner), heldBefore, leaves ? 1 : 0])
  }

  #inspect(name: string): Promise<InspectReply> {
    const keys = readWriteKeysOf(this.#key(name))
    return runScript(this.to.link, rwInspect, keys, name, [this.side], (reply) => inspectReply(reply, name))
  }

  /** A script that may move the line: who could not be told of it finds out when its place is kept up. */
  #run(script: Script, name: string, args: readonly Argument[]): Promise<LineReply> {
    const { link, onError } = this.to
    const keys = undivided(link, readWriteKeysOf(this.#key(name)))
    return runScript(
      link,
      script,
      keys,
      name,
      [link.publishCommand, this.waiterLeaseMs, ...args],
      (reply) => {
        const read = lineReply(reply)
        if (read.untold !== '') onError(untoldError(read.untold, link.publishCommand, name))
        return read
      },
    )
  }

  #member(owner: Owner): string {
    return `${this.side}:${owner}`
  }

  #key(name: string): string {
    return this.to.keyPrefix + name
  }
}

function granted({ since, leaseMs, fence }: LineGrant): AcquireReply {
  return { outcome: 'granted', fence, granted: { since, leaseMs } }
}

/** An announcement within a script is refused for one reason only. */
function untoldError(text: string, command: string, lockName: string): StoreError {
  const hint =
    'Grant the ACL user the channels of read-write locks: waiters learn of a release late without them.'
  return new StoreError('permission', command, { lockName, cause: new Error(text), transient: false, hint })
}
