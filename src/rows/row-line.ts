import { StoreError } from '../errors/errors.js'
import { ClientLine } from '../line/client-line.js'
import type { Place } from '../line/place.js'
import type {
  AcquireReply,
  AcquireRequest,
  GrantedReply,
  News,
  StoreLine,
  Watch,
} from '../ports/lock-port.js'
import { newsIn } from './letters.js'
import { LONGEST_LOOK_MS, microseconds, type Told } from './line.js'
import type { RowClient } from './row-client.js'
import type { Draft } from './rows.js'
import type { Keyspace } from './shape.js'

/** What a request has come to, and the store's clock when its row was read. */
export interface Answer extends Pick<Draft<unknown>, 'now' | 'askedAt'> {
  readonly reply: AcquireReply
}

/** The lines in which one client stands: each is kept in the row of its lock. What the client knows of its places there is kept here. */
export class RowLine implements StoreLine {
  readonly placeMs = LONGEST_LOOK_MS
  readonly #known = new Map<string, ClientLine>()

  constructor(
    private readonly client: RowClient,
    private readonly keyspace: Keyspace,
  ) {}

  hears(name: string): boolean {
    return this.client.inbox?.open === true && this.client.letters.awaits(this.keyspace, name)
  }

  /** Calls back on messages about places in that mode. */
  watch(name: string, mode: string, onNews: (news?: News) => void): Watch {
    return this.client.watch(this.keyspace, name, (told) => {
      const read = newsIn(told, mode)
      if (!read) return
      if (told) this.#heard(name, told)
      onNews(read.news)
    })
  }

  /**
   * The lock, if that place was granted it and its process was told: the row says so already. Undefined where the row has to be changed,
   * or to be asked.
   */
  takeOver(place: Place, { name, heldBefore, leaseMs }: AcquireRequest): GrantedReply | undefined {
    const { client } = this
    const grant = this.#known.get(name)?.takeGrant(place, client.clock.now())
    if (!grant || heldBefore > 0 || !client.prolongs(leaseMs)) return undefined
    this.leave(name, place)
    const { fence, ...granted } = grant
    return { outcome: 'granted', granted, ...(fence !== undefined && { fence }) }
  }

  /** Changes the row for a request, which may give its place to stand in line. */
  async ask(
    place: Place,
    { name, waits }: AcquireRequest,
    change: () => Promise<Answer>,
  ): Promise<AcquireReply> {
    if (waits) this.#join(name, place)
    const sentAt = this.client.clock.now()
    try {
      const { reply, now, askedAt = sentAt } = await change()
      if (reply.outcome !== 'busy') this.leave(name, place)
      else if (waits) this.#known.get(name)?.heard(Math.min(sentAt, askedAt), microseconds(now), place)
      return reply
    } catch (error) {
      // A request that may have been carried out is repeated or abandoned; a refused one is over.
      if (!(error instanceof StoreError && error.transient)) this.leave(name, place)
      throw error
    }
  }

  /** Nobody waits on that place any more. */
  leave(name: string, place: Place): void {
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
  constructor(
    private readonly own: RowClient,
    private readonly space: Keyspace,
  ) {
    super(own, space)
  }

  /** Calls back on every message about that lock. */
  hearAsks(name: string, onAsk: () => void): Watch {
    return this.own.watch(this.space, name, onAsk)
  }
}
