import type { Owner } from '../../src/identity/owner.js'
import type { ReadWritePorts } from '../../src/ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  BusyReply,
  GrantedReply,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  Watch,
} from '../../src/ports/lock-port.js'
import { eventually } from '../setup/eventually.js'

export const WATCHDOG_MS = 30_000

export type Side = keyof ReadWritePorts

type Terms = Partial<AcquireRequest>

/** One client at the two ports of read-write locks, which does what it is told and remembers what it hears. */
export class ReadWriteClient {
  /** What the watches have told, in order: `read <owner>`, `write <owner>`, `read look`, `places gone`, or `news` without particulars. */
  readonly heard: string[] = []
  readonly #watches: Watch[] = []
  #lastNumber = 0

  constructor(
    readonly clientId: string,
    readonly ports: ReadWritePorts,
    private readonly end: () => Promise<void>,
    readonly errors: readonly unknown[] = [],
  ) {}

  /** A logical thread of this client. */
  owner(): Owner {
    this.#lastNumber += 1
    return `${this.clientId}:${this.#lastNumber}`
  }

  async acquire(side: Side, name: string, owner: Owner, terms: Terms = {}): Promise<AcquireReply> {
    return await this.#port(side).acquire({
      name,
      owner,
      heldBefore: 0,
      leaseMs: WATCHDOG_MS,
      waits: true,
      ...terms,
    })
  }

  async granted(side: Side, name: string, owner: Owner, terms: Terms = {}): Promise<GrantedReply> {
    const reply = await this.acquire(side, name, owner, terms)
    if (reply.outcome !== 'granted')
      throw new Error(`${owner} was to ${side} ${name}, and it is ${reply.outcome}`)
    return reply
  }

  async refused(side: Side, name: string, owner: Owner, terms: Terms = {}): Promise<BusyReply> {
    const reply = await this.acquire(side, name, owner, terms)
    if (reply.outcome !== 'busy') throw new Error(`${owner} was to find ${name} busy: ${reply.outcome}`)
    return reply
  }

  /** Takes it for a new owner. */
  async take(side: Side, name: string, terms: Terms = {}): Promise<Owner> {
    const owner = this.owner()
    await this.granted(side, name, owner, terms)
    return owner
  }

  /** Joins the line, with the watch in force, as a call that waits does. */
  async joinLine(side: Side, name: string, terms: Terms = {}): Promise<Owner> {
    const owner = this.owner()
    await this.refused(side, name, owner, { ...terms, waits: false })
    await this.listen(side, name)
    await this.refused(side, name, owner, terms)
    return owner
  }

  /** Hears of grants. */
  async listen(side: Side, name: string): Promise<void> {
    const watch = this.#port(side).watch(name, (news?: News) => this.heard.push(said(side, news)))
    this.#watches.push(watch)
    await watch.confirmed
  }

  release(side: Side, name: string, owner: Owner, heldBefore = 1, repeated = false): Promise<ReleaseReply> {
    return this.#port(side).release({ name, owner, heldBefore, repeated })
  }

  async abandon(side: Side, name: string, owner: Owner): Promise<void> {
    await this.#port(side).abandon({ name, owner, heldBefore: 0, leaseMs: WATCHDOG_MS, waits: true })
  }

  async renew(side: Side, name: string, owner: Owner, leaseMs = WATCHDOG_MS): Promise<boolean> {
    const [renewed] = this.#port(side).renew([{ name, owner, leaseMs }])
    return (await renewed) ?? false
  }

  inspect(side: Side, name: string): Promise<LockState> {
    return this.#port(side).inspect(name)
  }

  /** Who holds it so, in order of their names. */
  async holders(side: Side, name: string): Promise<Owner[]> {
    return (await this.inspect(side, name)).owners.map(({ owner }) => owner).sort()
  }

  /** Waits until this client is told that the owner has the lock, then takes it over. */
  async enters(side: Side, name: string, owner: Owner, terms: Terms = {}): Promise<GrantedReply> {
    await this.hears(`${side} ${owner}`)
    return await this.granted(side, name, owner, terms)
  }

  /** Waits until this client is told something. */
  async hears(what: string): Promise<void> {
    await eventually(
      () => this.heard,
      (heard) => heard.includes(what),
    )
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.splice(0)) watch.close()
    await this.end()
  }

  #port(side: Side): LockPort {
    return this.ports[side]
  }
}

function said(side: Side, news: News = {}): string {
  if (news.grantedTo !== undefined) return `${side} ${news.grantedTo}`
  if (news.placesGone) return 'places gone'
  return news.lookInMs === undefined ? 'news' : `${side} look`
}
