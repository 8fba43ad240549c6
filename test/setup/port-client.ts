import type { Owner } from '../../src/base/identity/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  GrantedReply,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  Renewed,
  Watch,
} from '../../src/port/lock-port.js'
import type { StoreSession } from '../../src/port/store.js'
import { eventually } from './eventually.js'

export const WATCHDOG_MS = 30_000

export type Terms = Partial<AcquireRequest>

export interface Opened {
  readonly clientId: string
  readonly session: StoreSession
  readonly end: () => Promise<void>
  /** Trouble that belonged to no call; closing the client fails where a test has not taken it. */
  readonly errors: unknown[]
}

/** One client at the ports of some kinds of lock, without the wait loop: it does what it is told and remembers what it hears. */
export abstract class PortClient<Kind extends string> {
  /** What its watches have told, in order: `lock <owner>`, `lock look`, `lock places gone`, or `lock news` without particulars. */
  readonly heard: string[] = []
  readonly #watches: Watch[] = []
  #lastNumber = 0

  constructor(
    private readonly opened: Opened,
    readonly ports: Readonly<Record<Kind, LockPort>>,
  ) {}

  get clientId(): string {
    return this.opened.clientId
  }

  get errors(): unknown[] {
    return this.opened.errors
  }

  owner(): Owner {
    this.#lastNumber += 1
    return `${this.clientId}:${this.#lastNumber}`
  }

  async acquire(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<AcquireReply> {
    return await this.ports[kind].acquire(this.request(name, owner, terms))
  }

  async granted(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<GrantedReply> {
    const reply = await this.acquire(kind, name, owner, terms)
    if (reply.outcome !== 'granted')
      throw new Error(`${owner} was to get ${kind} ${name}, and it is ${reply.outcome}`)
    return reply
  }

  async refused(kind: Kind, name: string, owner: Owner, terms: Terms = {}): Promise<BusyReply> {
    const reply = await this.acquire(kind, name, owner, terms)
    if (reply.outcome !== 'busy')
      throw new Error(`${owner} was to find ${kind} ${name} busy: ${reply.outcome}`)
    return reply
  }

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

  async passes(kind: Kind, name: string, owner: Owner): Promise<void> {
    await this.enters(kind, name, owner)
    await this.release(kind, name, owner)
  }

  async hears(what: string): Promise<void> {
    const heard = (): string[] => this.heard
    await eventually(heard, (told) => told.includes(what))
  }

  release(kind: Kind, name: string, owner: Owner, heldBefore = 1, repeated = false): Promise<ReleaseReply> {
    return this.ports[kind].release({ name, owner, heldBefore, repeated })
  }

  async abandon(kind: Kind, name: string, owner: Owner): Promise<void> {
    await this.ports[kind].abandon(this.request(name, owner, {}))
  }

  async renew(kind: Kind, name: string, owner: Owner, leaseMs = WATCHDOG_MS): Promise<Renewed> {
    const [renewed] = this.ports[kind].renew([{ name, owner, leaseMs }])
    return (await renewed) ?? false
  }

  inspect(kind: Kind, name: string): Promise<LockState> {
    return this.ports[kind].inspect(name)
  }

  async holders(kind: Kind, name: string): Promise<Owner[]> {
    return (await this.inspect(kind, name)).owners.map(({ owner }) => owner).sort()
  }

  stopListening(): void {
    for (const watch of this.#watches.splice(0)) watch.close()
  }

  async close(): Promise<void> {
    this.stopListening()
    await this.opened.end()
    const [error] = this.errors
    if (error !== undefined) throw error
  }

  protected request(name: string, owner: Owner, terms: Terms): AcquireRequest {
    return { name, owner, heldBefore: 0, leaseMs: WATCHDOG_MS, waits: true, ...terms }
  }
}

function said(news: News = {}): string {
  if (news.grantedTo !== undefined) return news.grantedTo
  if (news.placesGone) return 'places gone'
  return news.lookInMs === undefined ? 'news' : 'look'
}

/** The kinds that are one lock in the store; those that wait for an announced one stand in no line. */
export const kinds = ['lock', 'fenced', 'fair', 'announced'] as const
export type Kind = (typeof kinds)[number]

export class LineClient extends PortClient<Kind> {
  constructor(opened: Opened) {
    const { lock, fencedLock: fenced = lock, fairLock: fair = lock, announcedLock = lock } = opened.session
    super(opened, { lock, fenced, fair, announced: announcedLock })
  }

  handOver(kind: Kind, name: string, from: Owner, owner: Owner, leaseMs: number): Promise<AcquireReply> {
    return this.ports[kind].handOver({ ...this.request(name, owner, { leaseMs }), from })
  }

  async remainingMs(name: string): Promise<number> {
    return (await this.inspect('lock', name)).remainingMs
  }
}

export type Side = 'read' | 'write'

export class ReadWriteClient extends PortClient<Side> {
  constructor(opened: Opened) {
    const { readWriteLock } = opened.session
    if (!readWriteLock) throw new Error('no read-write locks are kept there')
    super(opened, readWriteLock)
  }
}
