import { type Owner, pairOf } from '../../base/identity/owner.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { StoreSettings } from '../../port/store.js'
import { asOwner } from '../line/place.js'
import type { Connection } from './client/connection.js'
import { type About, keepsNoVersions, unreadable } from './client/failure.js'
import { flagOf, type Reply } from './client/reply.js'
import { type Server, serverOf } from './client/server.js'
import { keyOf } from './key.js'

/** A server counts whole seconds, by a clock that may be a second late and then skip one: an item of n seconds may be gone after n − 2. */
const EARLY_S = 2

/** Longer times are dates to memcached. */
const LONGEST_S = 30 * 24 * 60 * 60

/** A number that a server may count to. */
const WHOLE = /^\d{1,20}$/

/** The longest lease that a server can keep. */
export const LONGEST_LEASE_MS = (LONGEST_S - EARLY_S) * 1_000

/** The version of an item, which means something by the connection alone that told it. */
interface Version {
  readonly cas: string
  readonly connection: Connection
}

/** An item of this client's: a lock that it holds, as far as it knows. */
export interface Entry {
  readonly name: string
  readonly key: string
  owner: Owner
  /** How many holds it is for. The server knows of one. */
  holds: number
  version: Version | undefined
  /** When its lease ends, on the lease clock. The client sees to that; the server ends the item some seconds later. */
  endsAt: number
  alarm: TimerHandle | undefined
}

/** An item as a server has it. */
export interface Item {
  readonly owner: Owner | undefined
  /** For how long it lasts at the least; Infinity if it has no end. */
  readonly remainingMs: number
  readonly version: Version
}

/** The items of one client's locks. Each names its owner, and every change requires that nobody else has changed it. */
export class Items {
  readonly #entries = new Map<string, Entry>()
  #closed = false

  constructor(
    private readonly servers: readonly Server[],
    private readonly settings: StoreSettings,
  ) {}

  get now(): number {
    return this.settings.schedule.clock.now()
  }

  find(name: string, owner: Owner): Entry | undefined {
    return this.#entries.get(pairOf(owner, name))
  }

  /** What this client knows of its item; if it knows nothing, it looks at the server's item before a change. */
  entry(name: string, owner: Owner): Entry {
    const unknown = { holds: 0, version: undefined, endsAt: Infinity, alarm: undefined }
    return this.find(name, owner) ?? { name, key: keyOf(name), owner, ...unknown }
  }

  /** Adds an item for that owner if there is none. Returns the item that stands then, unless it is gone again, and whether it is new. */
  async add(
    name: string,
    owner: Owner,
    leaseMs: number,
  ): Promise<{ readonly added: boolean; readonly item: Item | undefined }> {
    const key = keyOf(name)
    const about = { command: 'acquire', lockName: name }
    const connection = await serverOf(key, this.servers).connection(about)
    // The second command says whose the item is, and its version.
    const [set, seen] = await connection.ask([setting(key, owner, leaseMs, 'ME'), look(key)], about)
    const added = statusOf(set, about, 'HD', 'NS') === 'HD'
    return { added, item: itemIn(seen, connection, about) }
  }

  async read(name: string): Promise<Item | undefined> {
    const key = keyOf(name)
    const about = { command: 'inspect', lockName: name }
    const connection = await serverOf(key, this.servers).connection(about)
    const [reply] = await connection.ask([look(key)], about)
    return itemIn(reply, connection, about)
  }

  /** Sets the owner, and a lease from now. False: the item is gone, or another owner's. */
  async write(entry: Entry, owner: Owner, leaseMs: number, withinMs?: number): Promise<boolean> {
    const sentAt = this.now
    const about = { command: 'renew', lockName: entry.name }
    const { key } = entry
    const change = ({ cas }: Version): string => setting(key, owner, leaseMs, `MS C${cas}`)
    const written = await this.#ifUnchanged(entry, about, change, withinMs)
    if (!written) {
      this.forget(entry)
      return false
    }
    this.#entries.delete(pairOf(entry.owner, entry.name))
    entry.owner = owner
    this.keep(entry, sentAt + leaseMs)
    return true
  }

  /** Removes the item. False: it was gone, or another owner's. */
  async remove(entry: Entry, command: string): Promise<boolean> {
    const about = { command, lockName: entry.name }
    const removed = await this.#ifUnchanged(entry, about, ({ cas }) => `md ${entry.key} C${cas}\r\n`)
    this.forget(entry)
    return removed
  }

  /** Removes it whatever its owner. Returns whether there was one. */
  async removeAny(name: string): Promise<boolean> {
    const key = keyOf(name)
    const about = { command: 'force unlock', lockName: name }
    const connection = await serverOf(key, this.servers).connection(about)
    const [reply] = await connection.ask([`md ${key}\r\n`], about)
    return statusOf(reply, about, 'HD', 'NF') === 'HD'
  }

  /** It is this client's until then. */
  keep(entry: Entry, endsAt: number): void {
    if (this.#closed) return
    const { schedule } = this.settings
    this.#entries.set(pairOf(entry.owner, entry.name), entry)
    entry.endsAt = endsAt
    if (entry.alarm) schedule.move(entry.alarm, endsAt)
    else entry.alarm = schedule.at(endsAt, () => this.#end(entry))
  }

  forget(entry: Entry): void {
    this.settings.schedule.cancel(entry.alarm)
    entry.alarm = undefined
    if (this.find(entry.name, entry.owner) === entry) this.#entries.delete(pairOf(entry.owner, entry.name))
  }

  close(): void {
    this.#closed = true
    for (const entry of [...this.#entries.values()]) this.forget(entry)
    for (const server of this.servers) server.close()
  }

  /** Removes the item at the end of its lease. A server out of reach ends it by itself, later. */
  #end(entry: Entry): void {
    this.remove(entry, 'end of lease').catch(() => this.forget(entry))
  }

  /** Changes an item that still names that owner; tries again if another request of that owner has changed it meanwhile. */
  async #ifUnchanged(
    entry: Entry,
    about: About,
    change: (version: Version) => string,
    withinMs?: number,
  ): Promise<boolean> {
    const { key, owner } = entry
    for (;;) {
      const connection = await serverOf(key, this.servers).connection(about, withinMs)
      let { version } = entry
      if (version?.connection !== connection) {
        const [seen] = await connection.ask([look(key)], about, withinMs)
        const item = itemIn(seen, connection, about)
        if (item?.owner !== owner) return false
        version = item.version
      }
      const [reply] = await connection.ask([change(version)], about, withinMs)
      entry.version = undefined
      const status = statusOf(reply, about, 'HD', 'NF', 'EX')
      const cas = reply && flagOf(reply, 'c')
      if (status === 'HD' && cas !== undefined && WHOLE.test(cas)) entry.version = { cas, connection }
      if (status !== 'EX') return status === 'HD'
    }
  }
}

/** The command that stores it, in the mode and on the condition of these flags. */
function setting(key: string, owner: Owner, leaseMs: number, flags: string): string {
  const seconds = Math.min(Math.ceil(leaseMs / 1_000) + EARLY_S, LONGEST_S)
  return `ms ${key} ${Buffer.byteLength(owner)} T${seconds} c ${flags}\r\n${owner}\r\n`
}

function look(key: string): string {
  return `mg ${key} v c t\r\n`
}

/** Reads the status, one of those that the command may have; any other makes the reply unreadable, and the outcome unknown. */
function statusOf<Status extends string>(
  reply: Reply | undefined,
  about: About,
  ...statuses: readonly Status[]
): Status {
  const status = statuses.find((each) => each === reply?.status)
  if (status === undefined) throw unreadable(reply, about)
  return status
}

function itemIn(reply: Reply | undefined, connection: Connection, about: About): Item | undefined {
  if (!reply || statusOf(reply, about, 'VA', 'EN') === 'EN') return undefined
  const [cas, seconds] = [flagOf(reply, 'c'), flagOf(reply, 't')]
  if (cas === undefined || !WHOLE.test(cas)) throw unreadable(reply, about)
  if (cas === '0') throw keepsNoVersions(about)
  if (seconds === undefined || !(seconds === '-1' || WHOLE.test(seconds))) throw unreadable(reply, about)
  const remainingMs = seconds === '-1' ? Infinity : Math.max(Number(seconds) - EARLY_S, 0) * 1_000
  return { owner: asOwner(reply.value), remainingMs, version: { cas, connection } }
}
