import type { Owner } from '../../../base/identity/owner.js'
import type { AcquireReply, AcquireRequest, HandOverRequest } from '../../../port/lock-port.js'
import { ownerOf, type Place } from '../../line/place.js'
import { announce } from '../channels/announcements.js'
import { releaseChannelOf } from '../channels/release-channel.js'
import type { Argument, Link } from '../connection/link.js'
import type { Refusals } from '../connection/refusals.js'
import { companionOf, processChannelsOf, tokenCounterOf, undivided } from '../keys/companion-key.js'
import { wholeIn } from '../scripts/replies.js'
import { runScript, type Script, type ScriptTerms } from '../scripts/script.js'
import { acquire, forceUnlock, handOver, release } from '../scripts/scripts.generated.js'
import { type AcquireAnswer, acquireAnswer, type Granted, granted, LOST } from './acquire-reply.js'
import type { LineMode, LineNames } from './line-terms.js'
import { countWaiting, rosterOf } from './waiting-clients.js'

export interface LockTerms {
  /** The command that publishes releases and grants; empty: none are published. */
  readonly publishCommand: Link['publishCommand'] | ''
  /** How long the counter of tokens is kept after the last one, in milliseconds, 0: for ever; undefined: the lock has no tokens. */
  readonly fenceRetentionMs?: number | undefined
  /** Whether the store has one vote of several for the lock: then its tickets are the last of the scripts' keys. */
  readonly tickets?: true | undefined
  /** Whether nobody may pass the line, not even while it cannot be reached because its slot moves between nodes of a cluster. */
  readonly inOrder?: boolean | undefined
}

/** The argument of the scripts that follows from a lock's name alone. */
interface Address {
  readonly keys: readonly [string, ...string[]]
  /** The roster and the release channel. */
  readonly releases: readonly [string, string]
  /** ARGV[1]. */
  readonly what: string
  readonly terms: Pick<ScriptTerms<unknown>, 'announces' | 'alone'>
}

/** To make them for each command again costs a tenth of it; most processes use few names at a time. */
const ADDRESSES_KEPT = 1_000

/** The scripts of the lock and its line: their arguments, and what their answers mean. */
export class LockCommands implements LineNames, LineMode {
  /** `x`: alone, `f<retention>`: alone, with a token. */
  readonly mode: string
  readonly #inCluster: boolean
  readonly #addresses = new Map<string, Address>()

  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
    private readonly terms: LockTerms,
    private readonly onError: (error: unknown) => void,
    private readonly refusals: Refusals,
  ) {
    this.mode = terms.fenceRetentionMs === undefined ? 'x' : `f${terms.fenceRetentionMs}`
    this.#inCluster = link.publishCommand === 'SPUBLISH'
  }

  /** Whether each tenure has a token. */
  get fenced(): boolean {
    return this.terms.fenceRetentionMs !== undefined
  }

  get keysRefused(): boolean {
    return this.refusals.has('keys')
  }

  /** The first of the scripts' keys. */
  keyOf(name: string): string {
    return this.keyPrefix + name
  }

  releaseChannel(name: string): string {
    return releaseChannelOf(this.keyPrefix + name)
  }

  /** The roster first: a client that listens to releases and not to the roster counts as outside the line. */
  releaseChannels(name: string): readonly [string, string] {
    return this.#addressOf(name).releases
  }

  ask(
    { name, owner, heldBefore, leaseMs, lingers }: AcquireRequest,
    looksMs: number,
    terms: string,
    read: (answer: AcquireAnswer) => AcquireReply,
  ): Promise<AcquireReply> {
    const args: Argument[] = [owner, leaseMs]
    // What a first hold does not need that waits for nothing is left out: each argument costs the client library and the server.
    if (looksMs !== 0 || lingers) args.push(heldBefore, looksMs, terms)
    else if (heldBefore !== 0) args.push(heldBefore)
    if (lingers) args.push(1)
    return this.run(acquire, name, args, (reply) => read(acquireAnswer(reply)))
  }

  handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<Granted | typeof LOST> {
    return this.run(handOver, name, [from, owner, leaseMs], (reply) => (reply === 0 ? LOST : granted(reply)))
  }

  /** @param read of a number. Above 0: released, and one less than that many listeners were told; 0: still held; -1: not held by the owner. */
  release<Result>(
    name: string,
    owner: Owner,
    heldBefore: number,
    leavesLine: boolean,
    read: (code: number) => Result,
  ): Promise<Result> {
    const args = leavesLine ? [owner, heldBefore, 1] : heldBefore === 1 ? [owner] : [owner, heldBefore]
    return this.free(release, name, args, read)
  }

  /** Takes the owner out of the line, and gives back what was granted to its place there, nothing else. */
  leavePlace(name: string, place: Place): Promise<number> {
    return this.free(release, name, [ownerOf(place), 1, 2], (code) => code)
  }

  /** Above 0: it was held; 0: it was free. */
  forceUnlock(name: string): Promise<number> {
    return this.free(forceUnlock, name, [], (code) => code)
  }

  /** How many processes wait: those in line, and those that listen outside it. */
  countWaiting(name: string): Promise<number> {
    const processes = companionOf('holdfast_processes', this.keyPrefix + name)
    return countWaiting(this.link, name, this.releaseChannels(name), processes)
  }

  /**
   * A script that has freed the lock and could not announce it answers -2. In a cluster that happens if a name's braces put the channel
   * on another node.
   */
  free<Result>(
    script: Script,
    name: string,
    args: readonly Argument[],
    read: (code: number) => Result,
  ): Promise<Result> {
    return this.run(script, name, args, (reply) => {
      const code = wholeIn(reply, -2)
      if (code !== -2) return read(code)
      const channel = this.releaseChannel(name)
      return announce(this.link, name, channel, '0', this.onError).then((told) => read(told + 1))
    })
  }

  run<Result>(
    script: Script,
    name: string,
    args: readonly Argument[],
    read: (reply: unknown) => Result | Promise<Result>,
  ): Promise<Result> {
    const { keys, what, terms } = this.#addressOf(name)
    return runScript(this.link, script, keys, name, [what, args], read, terms)
  }

  #addressOf(name: string): Address {
    const known = this.#addresses.get(name)
    if (known) return known
    const key = this.keyPrefix + name
    const { publishCommand, tickets } = this.terms
    const beside = tickets ? [companionOf('holdfast_tickets', key)] : []
    const channel = releaseChannelOf(key)
    const [line, processes] = [companionOf('holdfast_line', key), companionOf('holdfast_processes', key)]
    const roster = rosterOf(channel)
    const address: Address = {
      releases: [roster, channel],
      keys: undivided([key, line, processes, this.counterOf(name), ...beside], this.#inCluster),
      what: `${this.mode} ${publishCommand} ${processChannelsOf(key, this.#inCluster)} ${roster.slice(0, -channel.length)} ${channel}`,
      terms: {
        announces: publishCommand === '' ? undefined : { channel, text: '0' },
        alone: this.fenced || this.terms.inOrder ? undefined : this.refusals,
      },
    }
    if (this.#addresses.size === ADDRESSES_KEPT) this.#addresses.clear()
    this.#addresses.set(name, address)
    return address
  }

  /** The key of the token counter: Redisson's name for it. */
  counterOf(name: string): string {
    return tokenCounterOf(this.keyPrefix + name, this.#inCluster)
  }
}
