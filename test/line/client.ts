import type { Owner } from '../../src/identity/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  GrantedReply,
  LockPort,
  News,
  ReleaseReply,
  Watch,
} from '../../src/ports/lock-port.js'
import { eventually } from '../setup/eventually.js'

export const WATCHDOG_MS = 30_000

/** The kinds that are one lock in the store; those that wait for an announced one stand in no line. */
export const kinds = ['lock', 'fenced', 'fair', 'announced'] as const
export type Kind = (typeof kinds)[number]

type Terms = Partial<AcquireRequest>

/** One client at the ports of the kinds that share a line, which does what it is told and remembers what it hears. */
export class LineClient {
  /** What its watches have told, in order: `lock <owner>`, `lock look`, `lock places gone`, or `lock news` without particulars. */
  readonly heard: string[] = []
  readonly #watches: Watch[] = []
  #lastNumber = 0

  constructor(
    readonly clientId: string,
    readonly ports: Readonly<Record<Kind, LockPort>>,
    private readonly end: () => Promise<void>,
    /** Trouble that belonged to no call; {@link close} fails where a test has not taken it. */
    readonly errors: unknown[] = [],
  ) {}

  /** A logical thread of this client. */
  owner(): Owner {
    this.#lastNumber += 1
    return `${this.clientId}:${this.#lastNumber}`
  }

  acquire(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<AcquireReply> {
    return this.ports[kind].acquire(this.#request(name, owner, terms))
  }

  async granted(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<GrantedReply> {
    const reply = await this.acquire(kind, name, owner, terms)
    if (reply.outcome !== 'granted')
      throw new Error(`${owner} was to get ${name}, and it is ${reply.outcome}`)
    return reply
  }

  async refused(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<BusyReply> {
    const reply = await this.acquire(kind, name, owner, terms)
    if (reply.outcome !== 'busy') throw new Error(`${owner} was to find ${name} busy: ${reply.outcome}`)
    return reply
  }

  /** Takes it for a new owner. */
  async take(kind: Kind, name: string, terms: Terms = {}): Promise<Owner> {
    const owner = this.owner()
    await this.granted(kind, name, owner, terms)
    return owner
  }

  /** Hears what becomes of its places. */
  async listen(kind: Kind, name: string): Promise<Watch> {
    const watch = this.ports[kind].watch(name, (news) => this.heard.push(`${kind} ${said(news)}`))
    this.#watches.push(watch)
    await watch.confirmed
    return watch
  }

  /** Joins the line, with the watch in force, as a call that waits does. */
  async joinLine(kind: Kind, name: string, terms: Terms = {}): Promise<Owner> {
    const owner = this.owner()
    await this.listen(kind, name)
    await this.refused(kind, name, owner, terms)
    return owner
  }

  /** Waits until it is told that the owner has the lock, then takes it over. */
  async enters(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<GrantedReply> {
    await this.hears(`${kind} ${owner}`)
    return await this.granted(kind, name, owner, terms)
  }

  async hears(what: string): Promise<void> {
    await eventually(
      () => this.heard,
      (heard) => heard.includes(what),
    )
  }

  release(kind: Kind, name: string, owner: Owner, heldBefore = 1, repeated = false): Promise<ReleaseReply> {
    return this.ports[kind].release({ name, owner, heldBefore, repeated })
  }

  async abandon(kind: Kind, name: string, owner: Owner): Promise<void> {
    await this.ports[kind].abandon(this.#request(name, owner, {}))
  }

  async handOver(
    kind: Kind,
    name: string,
    from: Owner,
    owner: Owner,
    leaseMs: number,
  ): Promise<AcquireReply> {
    return await this.ports[kind].handOver({ ...this.#request(name, owner, { leaseMs }), from })
  }

  /** Who has it. */
  async holders(name: string): Promise<Owner[]> {
    return (await this.ports.lock.inspect(name)).owners.map(({ owner }) => owner)
  }

  async remainingMs(name: string): Promise<number> {
    return (await this.ports.lock.inspect(name)).remainingMs
  }

  /** Nobody listens any more. */
  stopListening(): void {
    for (const watch of this.#watches.splice(0)) watch.close()
  }

  async close(): Promise<void> {
    this.stopListening()
    await this.end()
    const [error] = this.errors
    if (error !== undefined) throw error
  }

  #request(name: string, owner: Owner, terms: Terms): AcquireRequest {
    return { name, owner, heldBefore: 0, leaseMs: WATCHDOG_MS, waits: true, ...terms }
  }
}

function said(news: News = {}): string {
  if (news.grantedTo !== undefined) return news.grantedTo
  if (news.placesGone) return 'places gone'
  return news.lookInMs === undefined ? 'news' : 'look'
}
