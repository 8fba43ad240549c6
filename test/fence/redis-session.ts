import { LeftPlaces } from '../../src/line/left-places.js'
import { Words } from '../../src/line/proof.js'
import { ReleaseChannels } from '../../src/redis/channels/release-channel.js'
import { isCluster, type RedisClient } from '../../src/redis/connection/client.js'
import { ClusterLink } from '../../src/redis/connection/cluster-link.js'
import type { Link, LinkListener } from '../../src/redis/connection/link.js'
import { Refusals } from '../../src/redis/connection/refusals.js'
import { StandaloneLink } from '../../src/redis/connection/standalone-link.js'
import { LineLockPort } from '../../src/redis/line/line-lock.js'
import { LockCommands } from '../../src/redis/line/lock-commands.js'
import { FencedLockPort } from '../../src/redis/locks/fenced-lock.js'
import { RedisGuardedPort } from '../../src/redis/values/guarded-value.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'

/** One client's ports on a server, with no core above them. */
export class RedisSession {
  readonly plain: LineLockPort
  readonly fenced: FencedLockPort
  readonly guarded: RedisGuardedPort
  readonly #schedule = new Schedule(new SystemClock(), report)
  readonly #link: Link
  readonly #channels: ReleaseChannels

  constructor(client: RedisClient, retentionMs?: number) {
    const listener: LinkListener = {
      message: () => undefined,
      resumed: () => undefined,
      refused: () => undefined,
      error: report,
    }
    this.#link = isCluster(client)
      ? new ClusterLink(client, this.#schedule, 3_000, listener)
      : new StandaloneLink(client, this.#schedule, 3_000, listener)
    this.#channels = new ReleaseChannels(() => this.#link, this.#schedule)
    const keyPrefix = client.options.keyPrefix ?? ''
    const parts = { link: this.#link, channels: this.#channels, keyPrefix, onError: report }
    const { publishCommand } = this.#link
    const terms = { publishCommand }
    const refusals = new Refusals(this.#link, report)
    const line = {
      refusals,
      clientId: 'client',
      firstLeaseMs: 5_000,
      watchdogLeaseMs: 30_000,
      clock: this.#schedule.clock,
      leftPlaces: new LeftPlaces(this.#schedule.clock, report),
      words: new Words(),
    }
    const fencedTerms = { ...terms, fenceRetentionMs: retentionMs ?? 0 }
    this.plain = new LineLockPort(
      parts,
      new LockCommands(this.#link, keyPrefix, terms, report, refusals),
      line,
    )
    this.fenced = new FencedLockPort(
      parts,
      new LockCommands(this.#link, keyPrefix, fencedTerms, report, refusals),
      line,
    )
    this.guarded = new RedisGuardedPort(this.#link, keyPrefix)
  }

  async close(): Promise<void> {
    this.#channels.close()
    await this.#link.close()
    this.#schedule.clear()
  }
}

function report(error: unknown): void {
  throw error
}
