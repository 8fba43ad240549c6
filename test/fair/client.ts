import type { Owner } from '../../src/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  LineState,
  LockPort,
  News,
  ReleaseReply,
  StoreLine,
  Watch,
} from '../../src/store.js'
import { eventually } from '../setup/eventually.js'

export const WATCHDOG_MS = 30_000

/** One client at the port of the fair lock, which does what it is told and remembers what it hears. */
export class FairClient {
  /** What each watch has told, in order: the owner that was granted the lock, or undefined for news without particulars. */
  readonly heard: Array<Owner | undefined> = []
  readonly #watches: Watch[] = []
  #lastNumber = 0

  constructor(
    readonly clientId: string,
    readonly port: LockPort & StoreLine,
    /** The same client's plain locks. */
    readonly plain: LockPort,
    private readonly end: () => Promise<void>,
    readonly errors: readonly unknown[] = [],
  ) {}

  /** A logical thread of this client. */
  owner(): Owner {
    this.#lastNumber += 1
    return `${this.clientId}:${this.#lastNumber}`
  }

  request(name: string, owner: Owner, more: Partial<AcquireRequest> = {}): AcquireRequest {
    return { name, owner, heldBefore: 0, leaseMs: WATCHDOG_MS, waits: true, ...more }
  }

  acquire(name: string, owner: Owner, more: Partial<AcquireRequest> = {}): Promise<AcquireReply> {
    return this.port.acquire(this.request(name, owner, more))
  }

  /** Joins the line behind a holder, with the watch in force, as a call that waits does. */
  async joinLine(name: string): Promise<Owner> {
    const owner = this.owner()
    await this.refused(name, owner)
    await this.watch(name)
    await this.refused(name, owner)
    return owner
  }

  async refused(name: string, owner: Owner, more: Partial<AcquireRequest> = {}): Promise<void> {
    const { outcome } = await this.acquire(name, owner, more)
    if (outcome !== 'busy') throw new Error(`${owner} was to find ${name} busy, and it is ${outcome}`)
  }

  async granted(name: string, owner: Owner, more: Partial<AcquireRequest> = {}): Promise<AcquireReply> {
    const reply = await this.acquire(name, owner, more)
    if (reply.outcome !== 'granted')
      throw new Error(`${owner} was to get ${name}, and it is ${reply.outcome}`)
    return reply
  }

  /** Takes the lock for a new owner. */
  async take(name: string, more: Partial<AcquireRequest> = {}): Promise<Owner> {
    const owner = this.owner()
    await this.granted(name, owner, more)
    return owner
  }

  async watch(name: string): Promise<void> {
    const watch = this.port.watch(name, (news?: News) => this.heard.push(news?.grantedTo))
    this.#watches.push(watch)
    await watch.confirmed
  }

  release(name: string, owner: Owner, heldBefore = 1, repeated = false): Promise<ReleaseReply> {
    return this.port.release({ name, owner, heldBefore, repeated })
  }

  keepUp(name: string): Promise<LineState> {
    return this.port.keepUp(name)
  }

  /** Waits until this client is told that the owner has the lock. */
  async toldOf(owner: Owner): Promise<void> {
    await eventually(() => this.heard.includes(owner))
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.splice(0)) watch.close()
    await this.end()
  }
}
