import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import type { Watch } from '../../../port/lock-port.js'
import type { Link } from '../connection/link.js'
import { redissonNameOf } from '../keys/companion-key.js'
import { keyIn } from './told.js'

/** How long an unwatched channel stays subscribed: contention comes in bursts, and subscribing costs a round trip. */
const LINGER_MS = 200

/** The pub/sub channel on which releases of that lock are announced: Redisson's name for it. */
export function releaseChannelOf(key: string): string {
  return redissonNameOf('redisson_lock__channel', key)
}

/** @param text what was published; absent where something may have been missed. */
type Listener = (text?: string) => void

const NOBODY: readonly Listener[] = []

class Subscription {
  /** By the lock's key that they want to hear of; undefined: of all. A process may hear of ten thousand locks on its one channel. */
  readonly #listeners = new Map<string | undefined, Set<Listener>>()
  lingering: TimerHandle | undefined
  /** How long it stays when nobody watches it. */
  lingersMs = LINGER_MS
  inForce = false
  constructor(readonly confirmed: Promise<void>) {
    confirmed.then(
      () => {
        this.inForce = true
      },
      () => undefined,
    )
  }

  get unheard(): boolean {
    return this.#listeners.size === 0
  }

  add(listener: Listener, key: string | undefined): void {
    const listeners = this.#listeners.get(key)
    if (listeners) listeners.add(listener)
    else this.#listeners.set(key, new Set([listener]))
  }

  delete(listener: Listener, key: string | undefined): boolean {
    const listeners = this.#listeners.get(key)
    if (!listeners?.delete(listener)) return false
    if (listeners.size === 0) this.#listeners.delete(key)
    return true
  }

  tell(text?: string): void {
    for (const listener of this.#listeners.get(undefined) ?? NOBODY) listener(text)
    const about = text === undefined ? undefined : this.#listeners.get(keyIn(text))
    for (const listener of about ?? NOBODY) listener(text)
    if (text !== undefined) return
    for (const [key, listeners] of this.#listeners)
      if (key !== undefined) for (const listener of listeners) listener()
  }
}

/** The watched channels: one subscription each, however many listeners it has (rule W2). */
export class ReleaseChannels {
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(
    private readonly link: () => Link,
    private readonly schedule: Schedule,
  ) {}

  /**
   * Calls back on every message, with what it says; without where one may have been missed.
   * @param key the lock whose messages are wanted, on a channel of a process; absent: every message
   * @param lingersMs how long the channel stays subscribed at the least when nobody watches it any more
   */
  hear(channel: string, onMessage: Listener, key?: string, lingersMs = LINGER_MS): Watch {
    const subscription = this.#subscriptions.get(channel) ?? this.#subscribe(channel)
    this.schedule.cancel(subscription.lingering)
    subscription.lingering = undefined
    subscription.lingersMs = Math.max(subscription.lingersMs, lingersMs)
    // One function may watch twice: each watch counts for itself.
    const listener: Listener = (text) => onMessage(text)
    subscription.add(listener, key)
    return {
      confirmed: subscription.confirmed,
      get inForce() {
        return subscription.inForce
      },
      doubt: () => this.link().doubtNews(),
      close: () => {
        if (subscription.delete(listener, key) && subscription.unheard) this.#linger(channel, subscription)
      },
    }
  }

  /** Whether no channel is subscribed, nor about to be. */
  get none(): boolean {
    return this.#subscriptions.size === 0
  }

  /** Whether this client receives messages on the channel. */
  subscribed(channel: string): boolean {
    return this.#subscriptions.get(channel)?.inForce ?? false
  }

  /** As {@link subscribed}, or will soon. */
  has(channel: string): boolean {
    return this.#subscriptions.has(channel)
  }

  /** @param text what was published; absent where something may have been missed. */
  announce(channel: string, text?: string): void {
    this.#subscriptions.get(channel)?.tell(text)
  }

  /** The subscription has ended, because it is not allowed any more. The next watch tries again. */
  drop(channel: string): void {
    const subscription = this.#subscriptions.get(channel)
    if (!subscription) return
    this.#subscriptions.delete(channel)
    this.schedule.cancel(subscription.lingering)
    subscription.inForce = false
    subscription.tell()
  }

  close(): void {
    for (const { lingering } of this.#subscriptions.values()) this.schedule.cancel(lingering)
    this.#subscriptions.clear()
  }

  #subscribe(channel: string): Subscription {
    const subscription = new Subscription(this.link().subscribe(channel))
    this.#subscriptions.set(channel, subscription)
    subscription.confirmed.catch(() => {
      // The next watch tries again, and does not share this failure.
      if (this.#subscriptions.get(channel) === subscription) this.#subscriptions.delete(channel)
      this.schedule.cancel(subscription.lingering)
    })
    return subscription
  }

  /** Ends the subscription after a while, unless it is watched again. Not before it is confirmed: otherwise it could stay. */
  #linger(channel: string, subscription: Subscription): void {
    const unwanted = (): boolean => this.#subscriptions.get(channel) === subscription && subscription.unheard
    subscription.confirmed.then(
      () => {
        if (!unwanted() || subscription.lingering) return
        subscription.lingering = this.schedule.at(this.schedule.clock.now() + subscription.lingersMs, () => {
          if (!unwanted()) return
          this.#subscriptions.delete(channel)
          this.link().unsubscribe(channel)
        })
      },
      () => undefined,
    )
  }
}
