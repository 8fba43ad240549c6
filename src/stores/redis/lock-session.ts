import { firstLeaseMs } from '../../port/lease.js'
import type { LockPort } from '../../port/lock-port.js'
import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import { LeftPlaces } from '../line/left-places.js'
import { Words } from '../line/proof.js'
import { ReleaseChannels } from './channels/release-channel.js'
import { giveBackIn } from './channels/told.js'
import { isCluster, type RedisClient } from './connection/client.js'
import { LateLink } from './connection/late-link.js'
import type { Link, LinkListener, Renewing } from './connection/link.js'
import { Refusals } from './connection/refusals.js'
import { StandaloneLink } from './connection/standalone-link.js'
import type { LinesSettings } from './line/line-terms.js'
import { LockCommands, type LockTerms } from './line/lock-commands.js'
import { LineLockPort } from './locks/line-lock.js'
import type { LockParts } from './locks/redis-port.js'

/** One client's dealings with Redis: at most two connections for each server, and the plain lock over them. */
export class LockSession implements StoreSession {
  readonly lock: LockPort
  protected readonly link: Link
  protected readonly parts: LockParts
  readonly #leftPlaces: LeftPlaces
  readonly #words = new Words()
  readonly #refusals: Refusals

  constructor(
    client: RedisClient,
    protected readonly settings: StoreSettings,
    /** The members that only a session for every kind has. */
    {
      renewing = (link) => link,
      ...others
    }: Pick<LockParts, 'batchOf' | 'renewals'> & { readonly renewing?: (link: Link) => Renewing } = {},
  ) {
    const { schedule, commandTimeoutMs, quarantineMs, onError } = settings
    const channels = new ReleaseChannels(() => this.link, schedule)
    this.#leftPlaces = new LeftPlaces(schedule.clock, onError)
    const listener: LinkListener = {
      message: (channel, text) => {
        channels.announce(channel, text)
        giveBackIn(text, this.#leftPlaces)
      },
      resumed: (resumed) => {
        for (const channel of resumed) channels.announce(channel)
      },
      refused: (channel, error) => {
        // Not a process of its own any more: its calls wait outside the line.
        if (channel.endsWith(settings.clientId))
          this.#refusals.add('channel', { command: 'SUBSCRIBE' }, error)
        else onError(error)
        channels.drop(channel)
      },
      error: onError,
    }
    this.link = isCluster(client)
      ? new LateLink(async () => {
          const { ClusterLink } = await import('./connection/cluster-link.js')
          return new ClusterLink(client, schedule, commandTimeoutMs, listener)
        })
      : new StandaloneLink(client, schedule, commandTimeoutMs, listener)
    this.#refusals = new Refusals(this.link, onError)
    const keyPrefix = client.options.keyPrefix ?? ''
    const { link } = this
    this.parts = {
      ...others,
      ...this.lineSettings(),
      link,
      renewing: renewing(link),
      channels,
      keyPrefix,
      quarantineMs,
      onError,
    }
    this.lock = new LineLockPort(this.parts, this.commands())
  }

  /** How often a connection has broken: after that another server may stand behind it. */
  get breaks(): number {
    return this.link.breaks
  }

  async close(): Promise<void> {
    this.parts.channels.close()
    await Promise.all([this.link.close(), this.parts.renewals?.close()])
  }

  protected commands(terms: Partial<LockTerms> = {}): LockCommands {
    const { link, keyPrefix, onError } = this.parts
    const { publishCommand } = link
    return new LockCommands(link, keyPrefix, { publishCommand, ...terms }, onError, this.#refusals)
  }

  protected lineSettings(): LinesSettings {
    const { clientId, watchdogLeaseMs, quarantineMs, schedule } = this.settings
    return {
      clientId,
      inCluster: this.link.publishCommand === 'SPUBLISH',
      firstLeaseMs: firstLeaseMs(watchdogLeaseMs),
      // Under quarantine a hold has its whole lease from the start: a loss of the short one would be without its quarantine.
      watchdogLeaseMs: quarantineMs > 0 ? Number.NaN : watchdogLeaseMs,
      clock: schedule.clock,
      leftPlaces: this.#leftPlaces,
      words: this.#words,
      refusals: this.#refusals,
    }
  }
}

/** The plain lock in Redis or Valkey, and nothing of the other kinds: see `RedisStore`. */
export class RedisLockStore implements Store {
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new LockSession(this.client, settings)
  }
}
