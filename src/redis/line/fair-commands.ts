import { isOwner, type Owner } from '../../owner.js'
import type { AcquireRequest } from '../../store.js'
import { companionOf } from '../companion-key.js'
import type { Argument, Link } from '../link.js'
import { releaseChannelOf } from '../release-channel.js'
import { runScript, type Script } from '../script.js'
import { fairAcquire, fairForceUnlock, fairKeepUp, fairRelease } from '../scripts.generated.js'
import { undivided } from '../undivided.js'

/** Who holds the lock, and what time it was at the server. */
export interface HolderSeen {
  readonly outcome: 'busy'
  readonly remainingMs: number
  readonly holder: Owner | undefined
  readonly serverMs: number
}

/** The scripts of the fair lock: what they are given, and what their answers mean. */
export class FairCommands {
  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
    private readonly clientId: string,
    /** How long this client's places in line last without being kept up. */
    private readonly waiterLeaseMs: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Where this client is told of grants. */
  grantChannel(name: string): string {
    return this.#grantChannels(name) + this.clientId
  }

  /** Where releases are told for which nobody stands in line. */
  releaseChannel(name: string): string {
    return releaseChannelOf(this.keyPrefix + name)
  }

  acquire({ name, owner, heldBefore, leaseMs, waits }: AcquireRequest): Promise<HolderSeen | 1 | 0> {
    const terms = [owner, heldBefore, leaseMs, waits ? 1 : 0, this.waiterLeaseMs]
    const args = [...terms, this.#grantChannels(name), this.link.publishCommand]
    return this.#run(fairAcquire, name, args, (reply) => {
      if (!Array.isArray(reply)) return reply === 1 ? 1 : 0
      this.#tell(name, reply.slice(3))
      return holderIn(reply)
    })
  }

  /** What the script returns; 1 also where others are still to be told, which happens from here. */
  release(name: string, owner: Owner, heldBefore: number, leavesLine: boolean): Promise<number> {
    const terms = [owner, heldBefore, this.releaseChannel(name), this.link.publishCommand]
    const args = [...terms, this.#grantChannels(name), leavesLine ? 1 : 0]
    return this.#run(fairRelease, name, args, (reply) => {
      if (!Array.isArray(reply)) return Number(reply)
      this.#tell(name, reply)
      return 1
    })
  }

  keepUp(name: string, inLine: readonly Owner[]): Promise<HolderSeen & { readonly gone: boolean }> {
    const terms = [this.waiterLeaseMs, this.#grantChannels(name), this.link.publishCommand]
    const args = [...terms, ...inLine]
    return this.#run(fairKeepUp, name, args, (reply) => {
      const answer: unknown[] = Array.isArray(reply) ? reply : []
      this.#tell(name, answer.slice(4))
      return { ...holderIn(answer), gone: answer[3] === 1 }
    })
  }

  forceUnlock(name: string): Promise<boolean> {
    const args = [this.releaseChannel(name), this.link.publishCommand, this.#grantChannels(name)]
    return this.#run(fairForceUnlock, name, args, (reply) => {
      if (Array.isArray(reply)) this.#tell(name, reply)
      return reply !== 0
    })
  }

  /**
   * What a script had to tell and could not, because the node does not serve the channel: pairs of a channel and a message. If
   * that fails too, whoever was to hear of it finds out when it keeps up its place.
   */
  #tell(name: string, untold: readonly unknown[]): void {
    const { publishCommand } = this.link
    const about = { command: publishCommand, lockName: name }
    for (let index = 0; index + 1 < untold.length; index += 2) {
      const channel = String(untold[index])
      const text = String(untold[index + 1])
      this.link.send(channel, about, publishCommand, channel, text).catch(this.onError)
    }
  }

  #run<Result>(
    script: Script,
    name: string,
    args: readonly Argument[],
    read: (reply: unknown) => Result,
  ): Promise<Result> {
    const key = this.keyPrefix + name
    const line = companionOf('holdfast_fair_line', key)
    const alive = companionOf('holdfast_fair_alive', key)
    return runScript(this.link, script, undivided(this.link, [key, line, alive]), name, args, read)
  }

  #grantChannels(name: string): string {
    return `${companionOf('holdfast_fair', this.keyPrefix + name)}:`
  }
}

function holderIn([left, holder, time]: readonly unknown[]): HolderSeen {
  return {
    outcome: 'busy',
    remainingMs: timeLeft(left),
    holder: typeof holder === 'string' && isOwner(holder) ? holder : undefined,
    serverMs: Number(time),
  }
}

/** Redis's PTTL: -2 there is no such key, -1 it has no end. */
function timeLeft(reply: unknown): number {
  const left = Number(reply)
  return left === -1 ? Number.POSITIVE_INFINITY : Math.max(left, 0)
}
