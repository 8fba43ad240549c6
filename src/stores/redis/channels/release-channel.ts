import { Alarm, type Schedule } from '../../../base/time/schedule.js'
import type { Watch } from '../../../port/lock-port.js'
import type { Link } from '../connection/link.js'
import { redissonNameOf } from '../keys/companion-key.js'
import { keyIn } from './told.js'

/** How long an unwatched channel stays subscribed: contention comes in bursts, and subscribing costs a round trip. */
const LINGER_MS = 200

/** The pub/sub channel that announces releases of the lock, by Redisson's name. */
export function releaseChannelOf(key: string): string {
  return redissonNameOf('redisson_lock__channel', key)
}

/** @param text the message; absent where the listener may have missed one. */
type Listener = (text?: string) => void

const NOBODY: readonly Hearing[] = []

/** One watch of a channel. */
class Hearing implements Watch {
  readonly #subscription: Subscription

  constructor(
    subscription: Subscription,
    readonly tell: Listener,
    readonly key: string | undefined,
    readonly confirmed: Promise<void>,
  ) {
    this.#subscription = subscription
  }

  get inForce(): boolean {
    return this.#subscription.inForce
  }

  doubt(): void {
    this.#subscription.channels.link().doubtNews()
  }

  close(): void {
    this.#subscription.delete(this)
  }
}

/** Rings when nobody has watched it for a while. */
class Subscription extends Alarm {
  /** Watches by the key of their lock; undefined: every lock. A process may watch ten thousand locks on its one channel. */
  readonly #hearings = new Map<string | undefined, Set<Hearing>>()
  /** How long the subscription outlives its last watch. */
  lingersMs = LINGER_MS
  /** When it ends, if nobody watches it until then. */
  endsAt = Infinity
  inForce = false

  constructor(
    readonly channel: string,
    readonly confirmed: Promise<void>,
    readonly channels: Pick<ReleaseChannels, 'link' | 'linger' | 'rings'>,
  ) {
    super()
  }

  ring(): void {
    this.channels.rings(this)
  }

  get unheard(): boolean {
    return this.#hearings.size === 0
  }

  add(hearing: Hearing): void {
    const hearings = this.#hearings.get(hearing.key)
    if (hearings) hearings.add(hearing)
    else this.#hearings.set(hearing.key, new Set([hearing]))
  }

  delete(hearing: Hearing): void {
    const hearings = this.#hearings.get(hearing.key)
    if (!hearings?.delete(hearing)) return
    if (hearings.size === 0) this.#hearings.delete(hearing.key)
    if (this.unheard) this.channels.linger(this)
  }

  tell(text?: string): void {
    const keys = text === undefined ? [...this.#hearings.keys()] : [undefined, keyIn(text)]
    for (const key of keys) for (const { tell } of this.#hearings.get(key) ?? NOBODY) tell(text)
  }
}

/** The watched channels: one subscription each, however many watch it (rule W2). */
export class ReleaseChannels {
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(
    readonly link: () => Link,
    private readonly schedule: Schedule,
  ) {}

  /**
   * Calls back with every message, and without one where the client may have missed one.
   * @param key the lock whose messages are wanted, on a channel of a process; absent: every message
   * @param lingersMs the least time for which the channel stays subscribed after its last watch
   * @param besides another subscription that has to be in force as well
   */
  hear(
    channel: string,
    onMessage: Listener,
    key?: string,
    lingersMs = LINGER_MS,
    besides?: Promise<unknown>,
  ): Watch {
    const subscription = this.#subscriptions.get(channel) ?? this.#subscribe(channel)
    subscription.lingersMs = Math.max(subscription.lingersMs, lingersMs)
    const { confirmed } = subscription
    const both = besides ? Promise.all([confirmed, besides]).then(() => undefined) : confirmed
    const hearing = new Hearing(subscription, onMessage, key, both)
    subscription.add(hearing)
    return hearing
  }

  /** Whether no channel is subscribed, nor about to be. */
  get none(): boolean {
    return this.#subscriptions.size === 0
  }

  /** Whether this client receives messages on the channel. */
  subscribed(channel: string): boolean {
    return this.#subscriptions.get(channel)?.inForce ?? false
  }

  /** Whether this client receives messages on the channel, or will soon. */
  has(channel: string): boolean {
    return this.#subscriptions.has(channel)
  }

  /** @param text the message; absent where the client may have missed one. */
  announce(channel: string, text?: string): void {
    this.#subscriptions.get(channel)?.tell(text)
  }

  /** Ends the subscription, because the server no longer allows it. The next watch tries again. */
  drop(channel: string): void {
    const subscription = this.#subscriptions.get(channel)
    if (!subscription) return
    this.#subscriptions.delete(channel)
    this.schedule.cancel(subscription)
    subscription.inForce = false
    subscription.tell()
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) this.schedule.cancel(subscription)
    this.#subscriptions.clear()
  }

  #subscribe(channel: string): Subscription {
    const subscription = new Subscription(channel, this.link().subscribe(channel), this)
    this.#subscriptions.set(channel, subscription)
    subscription.confirmed.then(
      () => {
        subscription.inForce = true
      },
      () => {
        // The next watch tries again, and does not share this failure.
        if (this.#subscriptions.get(channel) === subscription) this.#subscriptions.delete(channel)
        this.schedule.cancel(subscription)
      },
    )
    return subscription
  }

  /** Ends a subscription some time after its last watch, but not before the server has confirmed it: otherwise the server could keep it. */
  linger(subscription: Subscription): void {
    // A subscription that the server no longer allows never comes into force.
    if (!this.#isUnwanted(subscription)) return
    if (subscription.inForce) {
      subscription.endsAt = this.schedule.clock.now() + subscription.lingersMs
      // Where it is watched again and again it is left to ring too early: that costs less than to set it each time.
      if (subscription.place < 0) this.schedule.set(subscription, subscription.endsAt)
    } else
      subscription.confirmed.then(
        () => this.linger(subscription),
        () => undefined,
      )
  }

  /** Unsubscribes, unless somebody watches the channel again, or has done so lately. */
  rings(subscription: Subscription): void {
    if (!this.#isUnwanted(subscription)) return
    if (subscription.endsAt > this.schedule.clock.now()) {
      this.schedule.set(subscription, subscription.endsAt)
      return
    }
    this.#subscriptions.delete(subscription.channel)
    this.link().unsubscribe(subscription.channel)
  }

  #isUnwanted(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.channel) === subscription && subscription.unheard
  }
}
