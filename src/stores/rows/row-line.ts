import { StoreError } from '../../base/errors/errors.js'
import type {
  AcquireReply,
  AcquireRequest,
  GrantedReply,
  News,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
import { ClientLine } from '../line/client-line.js'
import { modeOf, type Place } from '../line/place.js'
import { newsIn } from './letters.js'
import { LONGEST_LOOK_MS } from './line.js'
import type { RowClient } from './row-client.js'
import type { Draft } from './rows.js'
import type { Keyspace } from './shape.js'
import { microseconds, type Told } from './told.js'

/** The answer to a request, and the store's clock at the read of its row. */
export interface Answer extends Pick<Draft<unknown>, 'now' | 'askedAt'> {
  readonly reply: AcquireReply
}

/** The lease of a grant runs from when the store's clock was asked for it: the change may have had to wait for those of others. */
export function replyIn({ reply, askedAt: since }: Answer): AcquireReply {
  return reply.outcome === 'granted' && since !== undefined ? { ...reply, since } : reply
}

/** The lines in which one client stands. The row of a lock keeps its line; this keeps what the client knows of its places. */
export class RowLine implements StoreLine {
  readonly placeMs = LONGEST_LOOK_MS
  readonly #known = new Map<string, ClientLine>()
  /** The requests under way, by place and name. */
  readonly #asking = new Set<string>()

  /** @param giveBack takes a place out of the line, and gives back what its owner has */
  constructor(
    protected readonly client: RowClient,
    protected readonly keyspace: Keyspace,
    private readonly giveBack: (name: string, place: Place) => Promise<unknown>,
  ) {}

  hears(name: string): boolean {
    return this.client.inbox?.open === true && this.client.letters.awaits(this.keyspace, name)
  }

  /** Whether an answer has shown that place in line. */
  stands(name: string, place: Place): boolean {
    return this.#known.get(name)?.stands(place) === true
  }

  /** Calls back on messages about places in that mode; undefined: in any. */
  watch(name: string, mode: string | undefined, onNews: (news?: News) => void): Watch {
    const isTheirs = (place: Place): boolean => mode === undefined || modeOf(place) === mode
    const read = (told?: Told): void => {
      const heard = newsIn(told, isTheirs)
      if (!heard) return
      if (told) this.#heard(name, told)
      onNews(heard.news)
    }
    return this.client.watch(this.keyspace, name, read, () => this.#closed(name))
  }

  /**
   * The lock, if a message has granted it to that place: the row says so already. Undefined if the client has to change the row, or to look
   * at it.
   */
  takeOver(place: Place, { name, heldBefore, leaseMs }: AcquireRequest): GrantedReply | undefined {
    const { client } = this
    const grant = this.#known.get(name)?.takeGrant(place, client.clock.now())
    if (!grant || heldBefore > 0 || !client.prolongs(leaseMs)) return undefined
    this.#leave(name, place)
    return grant
  }

  /** Asks at that place, unless a message has granted it the lock. */
  async acquire(place: Place, request: AcquireRequest, change: () => Promise<Answer>): Promise<AcquireReply> {
    const { client, keyspace } = this
    const givingBack = request.heldBefore === 0 && client.isBack(keyspace, request.name, place)
    if (givingBack) await givingBack
    return (client.inbox && this.takeOver(place, request)) ?? (await this.ask(place, request, change))
  }

  /** Changes the row for a request; the place of a request that waits joins the line. */
  async ask(
    place: Place,
    { name, waits }: AcquireRequest,
    change: () => Promise<Answer>,
  ): Promise<AcquireReply> {
    const joins = waits && this.client.inbox !== undefined
    if (joins) this.#join(name, place)
    const asking = `${place} ${name}`
    this.#asking.add(asking)
    const sentAt = this.client.clock.now()
    try {
      const answer = await change()
      const { reply, now, askedAt = sentAt } = answer
      if (reply.outcome !== 'busy') this.#leave(name, place)
      else if (joins) this.#known.get(name)?.heard(askedAt, microseconds(now), place)
      return replyIn(answer)
    } catch (error) {
      // The core repeats or abandons a request with an unknown outcome; a refused one is over.
      if (!(error instanceof StoreError && error.transient)) this.#leave(name, place)
      throw error
    } finally {
      this.#asking.delete(asking)
    }
  }

  /** Notes that the call of that place has left, and gives back a later grant. */
  left(name: string, place: Place): void {
    this.#leave(name, place)
    this.client.left(this.keyspace, name, place, () => this.giveBack(name, place))
  }

  /** Forgets the places of that lock, once its last watch has closed. */
  #closed(name: string): void {
    if (this.client.letters.awaits(this.keyspace, name)) return
    for (const place of this.#known.get(name)?.places ?? [])
      if (!this.#asking.has(`${place} ${name}`)) this.left(name, place)
  }

  /** Forgets a place that has the lock, or has left. */
  #leave(name: string, place: Place): void {
    const known = this.#known.get(name)
    known?.leave(place)
    if (known?.empty) this.#known.delete(name)
  }

  #join(name: string, place: Place): void {
    const known = this.#known.get(name) ?? new ClientLine()
    this.#known.set(name, known)
    known.join(place)
  }

  #heard(name: string, told: Told): void {
    if (!('letIn' in told)) return
    const { letIn: place, atUs: serverUs, leaseMs, fence } = told
    const token = fence === undefined ? undefined : BigInt(fence)
    this.#known.get(name)?.granted({ place, serverUs, leaseMs, fence: token })
  }
}

/** The same, for locks that may stay with a process. */
export class LingeringRowLine extends RowLine implements StoreLine {
  /** Calls back on every message about that lock. */
  hearAsks(name: string, onAsk: () => void): Watch {
    return this.client.watch(this.keyspace, name, onAsk)
  }
}
