import { StoreError } from '../../base/errors/errors.js'
import { Turns } from '../../base/waiting/turns.js'
import { type About, timeoutOf } from '../../port/failure.js'
import type { LockKeyspace, StoreSettings } from '../../port/store.js'
import type { Entry, EntryWatch, Line } from '../session/line.js'
import type { LeaseRequest, LinkListener, SessionGrant, SessionLink, StandRequest } from '../session/link.js'
import { type LockName, textOf } from '../session/lock-name.js'
import { Asks } from './asks.js'
import { EtcdCells, rangeIn } from './cells.js'
import { EtcdClient } from './client/client.js'
import type { EtcdAddress } from './client/connections.js'
import type { TxnReply } from './client/replies.js'
import type { PutTerms, Span } from './client/requests.js'
import { Watches } from './client/watches.js'
import { type EtcdEntry, isEtcdEntry, writeTerms } from './entry.js'
import { Leases, orNone } from './leases.js'
import { EntryNames } from './names.js'
import { OwnEntries } from './own-entries.js'
import { Slots } from './slots.js'

/** How many keys one request lists. */
const PAGE = 1_000

/** One client's way to etcd. Sessions are leases; entries are keys that belong to one. */
export class EtcdLink implements SessionLink {
  readonly #client: EtcdClient
  readonly #leases: Leases
  readonly #watches: Watches
  readonly #names: EntryNames
  readonly #own: OwnEntries
  readonly #asks: Asks
  readonly #slots: Slots
  readonly cells: EtcdCells
  readonly #turns = new Turns()
  /** The entries that may stand, or may yet appear, with their sessions. */
  readonly #unsure = new Map<string, string>()

  constructor(
    address: EtcdAddress,
    prefix: string,
    private readonly settings: StoreSettings,
    private readonly listener: LinkListener,
  ) {
    const { schedule, commandTimeoutMs } = settings
    this.#client = new EtcdClient(address, schedule, commandTimeoutMs)
    this.#leases = new Leases(this.#client)
    this.#watches = new Watches(this.#client, (error) => settings.onSuspended?.(error))
    this.#names = new EntryNames(prefix, settings.watchdogLeaseMs)
    this.#slots = new Slots(settings.clientId)
    this.#own = new OwnEntries(schedule, (lock, entry) =>
      // The failure that broke the question broke the watch, too: the client asks again when the watch begins anew.
      this.#watch(
        lock,
        entry,
        () => this.#gone(lock, entry),
        () => undefined,
      ),
    )
    const parts = {
      ...{ client: this.#client, watches: this.#watches, leases: this.#leases },
      ...{ names: this.#names, own: this.#own, settings },
    }
    this.cells = new EtcdCells(parts)
    this.#asks = new Asks(parts, listener)
  }

  hears(lock: LockName): boolean {
    return this.#asks.hears(lock)
  }

  ask(lock: LockName, entry: Entry): Promise<void> {
    return this.#asks.ask(lock, entry)
  }

  async begin(leastMs: number): Promise<SessionGrant> {
    const session = await this.#leases.begin(leastMs)
    this.#slots.clear()
    return session
  }

  keepAlive(session: string): Promise<boolean> {
    return this.#leases.keepAlive(BigInt(session))
  }

  end(session: string): Promise<void> {
    return this.#leases.revoke(BigInt(session))
  }

  /**
   * Requests for one lock go one after the other: etcd would carry out concurrent ones in any order. The time of each counts from its call,
   * so that on a server that hangs none waits longer because of those before it.
   */
  stand(request: StandRequest): Promise<Line | undefined> {
    const askedAt = this.settings.schedule.clock.now()
    return this.#turns.take(textOf(request.lock), () => this.#stand(request, askedAt))
  }

  /**
   * After a reported deletion, asks only the server that reported it, and believes an answer of that revision or a later one. Otherwise asks
   * for an answer that a majority has confirmed.
   */
  async read(lock: LockName, after?: Entry): Promise<Line> {
    const about = { command: 'Range', lockName: lock.name }
    const span = this.#names.line(lock)
    const goneAt = isEtcdEntry(after) ? after.goneAt : undefined
    const known = goneAt && (await this.#client.range({ ...span, serializable: true }, about))
    const seen = known && known.revision >= goneAt ? known : await this.#client.range(span, about)
    return this.#names.lineIn(lock, seen.entries, seen.revision)
  }

  async remove(lock: LockName, key: string): Promise<boolean> {
    const lease = this.#own.lease(key, undefined)
    this.#own.delete(key)
    const about = { command: 'DeleteRange', lockName: lock.name }
    const slot = this.#slots.find(key)
    if (slot === undefined) return await this.#removeOfAnother(lock, key)
    const span = { key: this.#names.entry(lock, slot) }
    try {
      // With nothing on its way the request goes out at once, also as the process exits.
      const session = this.#unsure.get(key)
      const buried =
        session === undefined ? undefined : await this.#certain(this.#bury({ key, session }, span, about))
      const removed = buried ?? (await this.#certain(this.#client.deleteRange(span, about))) > 0
      this.#slots.free(key)
      return removed
    } finally {
      this.#leases.letGo(lease)
    }
  }

  watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void): EntryWatch {
    let over = false
    const end = (goneAt?: bigint): void => {
      over = true
      stop(goneAt)
    }
    const tell = (goneAt?: bigint): void => {
      if (over) return
      if (isEtcdEntry(entry)) entry.goneAt = goneAt
      end(goneAt)
      onGone(false)
    }
    const stop = this.#watch(lock, entry, tell, () => tell(), textOf(lock))
    return { close: () => end() }
  }

  async lease({ lock, key, session, leaseMs }: LeaseRequest): Promise<boolean> {
    const standing = this.#own.find(key)
    if (!standing) return false
    const about = { command: 'Txn', lockName: lock.name }
    const own = leaseMs === undefined ? undefined : await this.#leases.grant(leaseMs, about)
    const { mode, within, permits, keeps, stored } = standing
    const lastsMs = leaseMs ?? this.settings.watchdogLeaseMs
    const value = writeTerms({ key, mode, within, permits, keeps, leaseMs: lastsMs })
    const put = { key: stored, value, lease: own ?? BigInt(session) }
    const done = await this.#certain(this.#replace(standing, put, about))
    this.#leases.letGo(done ? this.#own.lease(key, own) : own)
    return done
  }

  async *names(keyspace: LockKeyspace): AsyncIterable<string> {
    const { key: first, end = first } = this.#names.all(keyspace)
    let last: string | undefined
    for (let from = first; ; ) {
      const terms = { key: from, end, limit: PAGE, keysOnly: true }
      const { entries, more } = await this.#client.range(terms, { command: 'Range' })
      for (const { key, lease } of entries) {
        const name = lease === 0n ? undefined : this.#names.nameOf(keyspace, key)
        if (name !== undefined && name !== last) yield name
        last = name ?? last
      }
      const at = entries.at(-1)
      if (!more || !at) return
      from = Buffer.concat([at.key, Buffer.of(0)])
    }
  }

  close(): void {
    this.#own.clear()
    this.#asks.close()
    this.#watches.close()
    this.#client.close()
  }

  async #stand(request: StandRequest, askedAt: number): Promise<Line | undefined> {
    const { lock, session, key, mode, within, permits, keeps, ifFree } = request
    const { schedule, commandTimeoutMs } = this.settings
    const about = { command: 'Txn', lockName: lock.name }
    // The client has sent nothing, so no entry can appear.
    if (schedule.clock.now() >= askedAt + commandTimeoutMs) throw timeoutOf(about, commandTimeoutMs, 'etcd')
    const entry = this.#names.entry(lock, this.#slots.take(lock, key))
    const span = this.#names.line(lock)
    const value = writeTerms({ key, mode, within, permits, keeps, leaseMs: this.settings.watchdogLeaseMs })
    const put = { key: entry, value, lease: BigInt(session) }
    const reply = await this.#sure(key, session, () =>
      this.#client.txn(
        {
          when: [{ absent: ifFree ? span : { key: entry } }, { absent: { key: this.#names.tombstone(key) } }],
          ifSo: [{ put }, { range: span }],
          ifNot: [{ range: span }],
        },
        about,
        askedAt,
      ),
    )
    if (!reply) {
      this.#forget(key)
      return undefined
    }
    const line = this.#names.lineIn(lock, rangeIn(reply.replies.at(-1)), reply.revision)
    // A deeper key has kept it out, which is in nobody's line.
    if (ifFree && line.length === 0) return await this.#stand({ ...request, ifFree: false }, askedAt)
    const own = line.find((each) => each.key === key)
    if (own) this.#own.add(lock, own)
    else this.#forget(key)
    if (own && keeps && line.length === 1) this.#asks.keeps(lock, own)
    return line
  }

  /** Notes the entry as uncertain until the client knows whether it stands. */
  async #sure(key: string, session: string, work: () => Promise<TxnReply>): Promise<TxnReply | undefined> {
    const repeated = this.#unsure.has(key)
    this.#unsure.set(key, session)
    try {
      const reply = await orNone(this.#certain(work()))
      // An earlier request for it may still be on its way.
      if (!repeated) this.#unsure.delete(key)
      return reply
    } catch (error) {
      if (!repeated && error instanceof StoreError && !error.transient) this.#unsure.delete(key)
      throw error
    }
  }

  /**
   * Writes an entry anew, if its revision is unchanged: otherwise a late copy of the request could tie an entry that has been written again
   * to an earlier lease.
   */
  async #replace(standing: EtcdEntry, put: PutTerms, about: About): Promise<boolean> {
    const { key } = put
    for (let { modRevision } = standing; ; ) {
      const when = [{ key, modRevision }]
      const terms = { when, ifSo: [{ put }], ifNot: [{ range: { key } }] }
      const reply = await orNone(this.#client.txn(terms, about))
      if (!reply || this.#own.find(standing.key) !== standing) return false
      if (reply.succeeded) {
        standing.modRevision = reply.revision
        return true
      }
      const [found] = rangeIn(reply.replies[0])
      if (found?.createRevision !== standing.order) return false
      modRevision = found.modRevision
    }
  }

  /**
   * Removes an entry that may yet be made, by a request that is still on its way: leaves word that it is not to be made. Undefined: that
   * comes too late, since the session has ended.
   */
  async #bury(
    { key, session }: Pick<StandRequest, 'key' | 'session'>,
    span: Span,
    about: About,
  ): Promise<boolean | undefined> {
    const put = { key: this.#names.tombstone(key), value: Buffer.alloc(0), lease: BigInt(session) }
    const terms = { when: [], ifSo: [{ remove: span }, { put }] }
    const reply = await orNone(this.#client.txn(terms, about))
    this.#unsure.delete(key)
    const [removed] = reply?.replies ?? []
    return removed && 'deleted' in removed ? removed.deleted > 0 : undefined
  }

  /** The result of a change. With an unknown outcome, the server may carry it out at any later time. */
  async #certain<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      this.#slots.renew()
      throw error
    }
  }

  /** Nothing stands there any more. */
  #forget(key: string): void {
    if (!this.#unsure.has(key)) this.#slots.free(key)
  }

  /** Which of its keys that is only the line tells. */
  async #removeOfAnother(lock: LockName, key: string): Promise<boolean> {
    const found = (await this.read(lock)).find((entry) => entry.key === key)
    if (!isEtcdEntry(found)) return false
    const when = [{ key: found.stored, createRevision: found.order }]
    const about = { command: 'Txn', lockName: lock.name }
    return (await this.#client.txn({ when, ifSo: [{ remove: { key: found.stored } }] }, about)).succeeded
  }

  /** Calls back when that entry is gone, though its key may be in use again, or when the client cannot know. */
  #watch(
    lock: LockName,
    entry: Entry,
    onGone: (revision: bigint) => void,
    onDoubt: () => void,
    line?: string,
  ): (goneAt?: bigint) => void {
    const key = isEtcdEntry(entry) ? entry.stored : this.#names.entry(lock, entry.key)
    const look = async (): Promise<void> => {
      const about = { command: 'Range', lockName: lock.name }
      const { entries, revision } = await this.#client.range({ key }, about)
      if (entries[0]?.createRevision !== entry.order) onGone(revision)
    }
    let seenAt = isEtcdEntry(entry) ? entry.seenAt : 0n
    const listener = {
      begun: (revision: bigint) => {
        // Something may have happened between the look and the watch.
        if (revision > seenAt) look().catch(onDoubt)
        seenAt = 0n
      },
      ended: (revision: bigint) => {
        // Otherwise an earlier entry of that key has ended.
        if (revision > entry.order) onGone(revision)
      },
    }
    return this.#watches.watch({ key }, listener, line)
  }

  #gone(lock: LockName, { key }: Entry): void {
    if (!this.#own.delete(key)) return
    this.#forget(key)
    this.listener.gone(lock, key)
  }
}
