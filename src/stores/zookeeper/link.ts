import { queueMicrotask } from '../../base/time/machine-time.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { LockKeyspace, StoreSettings } from '../../port/store.js'
import type { Entry, EntryWatch, Line } from '../session/line.js'
import type { LinkListener, SessionGrant, SessionLink, StandRequest } from '../session/link.js'
import type { LockName } from '../session/lock-name.js'
import { ZooKeeperCells } from './cells.js'
import {
  type CreatedNode,
  createNode,
  createNumbered,
  deleteNode,
  getChildren,
  getData,
  multi,
  type Operation,
  sync,
} from './client/operations.js'
import { codes, isRefusal, orNone, RefusedError } from './client/result-codes.js'
import type { ZooKeeperSession } from './client/session.js'
import { lineOf, nodeOf, prefixOf } from './entry-node.js'
import { failureOf } from './failure.js'
import { MOST_ATTEMPTS, makeFolder } from './folder.js'
import { decodeName, folderOf, pathOf } from './node-name.js'
import type { ZooKeeperTerms } from './options.js'
import { Sessions } from './sessions.js'

/** An entry of this client, from the request for it until the client knows that it is gone. */
interface Own {
  readonly lock: LockName
  /** The node of the lock. */
  readonly parent: string
  readonly key: string
  readonly session: ZooKeeperSession
  /** Its node; undefined while nobody knows whether there is one. */
  path: string | undefined
  fence: bigint | undefined
  /** Whether its end is news. */
  watched: boolean
  /** Set where its client may keep the lock: ends that it hears of others. */
  deafen: (() => void) | undefined
  /** Until when it is not watched: most are gone by then. */
  alarm: TimerHandle | undefined
}

/** The age at which the client begins to watch an entry: one that ends sooner costs no request for that. */
const WATCH_AFTER_MS = 100

/** Sessions end on a tick of the server's, of which the shortest session has two: so many times its time is the most that one may last. */
const LONGEST_END = 1.5

/** A node that is there for no time: whoever hears of its folder hears of it. */
const QUESTION = '%asked'

/** One client's way to an ensemble. Entries are ephemeral sequential nodes, those of a plain lock where Curator's are. */
export class ZooKeeperLink implements SessionLink {
  /** Own entries, by the node of their lock and by key. */
  readonly #own = new Map<string, Map<string, Own>>()
  readonly #sessions: Sessions
  readonly cells: ZooKeeperCells

  constructor(
    private readonly terms: ZooKeeperTerms,
    private readonly settings: StoreSettings,
    private readonly listener: LinkListener,
  ) {
    this.#sessions = new Sessions(
      terms,
      settings,
      (session) => this.cells.goOnBy(session),
      (session, cause) => {
        this.#forgetOver()
        listener.ended(session, cause)
      },
    )
    this.cells = new ZooKeeperCells({
      ...terms,
      onError: settings.onError,
      ask: (command, name, ask) => this.#asking(command, name, ask),
      lineBy: async (session, lock) => {
        const parent = this.#pathOf(lock)
        return this.#lineOf(parent, await this.#children(session, parent))
      },
      entryPath: (lock, key) => this.#own.get(this.#pathOf(lock))?.get(key)?.path,
    })
  }

  /** What stands there has its folder watched by the request that reads the line. */
  hears(): boolean {
    return true
  }

  async ask(lock: LockName): Promise<void> {
    await this.#asking('ask', lock.name, async (session) => {
      const path = `${this.#pathOf(lock)}/${QUESTION}`
      await session.request(multi([createNode(path, this.terms.acl), deleteNode(path)]))
    })
  }

  async begin(leastMs: number): Promise<SessionGrant> {
    const grant = await this.#sessions.begin(leastMs)
    this.#forgetOver()
    return grant
  }

  keepAlive(session: string): Promise<boolean> {
    // The server answers in order, so all earlier ends are known by the answer.
    for (const own of this.#allOwn()) this.#watchOver(own)
    return this.#sessions.keepAlive(session)
  }

  end(session: string): Promise<void> {
    const ending = this.#sessions.end(session)
    this.#forgetOver()
    return ending
  }

  async stand(request: StandRequest): Promise<Line | undefined> {
    const { lock, session: id, key } = request
    const session = this.#sessions.find(id)
    if (!session) return undefined
    const parent = this.#pathOf(lock)
    const known = this.#own.get(parent)?.get(key)
    let own = known
    try {
      // What an earlier request has come to is not known: it may have been carried out.
      if (known && request.keeps) this.#listen(known)
      const line = known && (await this.#standing(session, known))
      if (line) return line
      own = this.#add({ lock, parent, key, session })
      if (request.keeps) this.#listen(own)
      const node = createNumbered(`${parent}/${prefixOf(request)}`, this.terms.acl)
      return await this.#create(session, own, node)
    } catch (error) {
      if (error instanceof RefusedError && own && own.path === undefined) this.#forget(own)
      if (session.over) return undefined
      throw failureOf(error, { command: 'acquire', lockName: lock.name })
    }
  }

  async read(lock: LockName, after?: Entry): Promise<Line> {
    return await this.#asking('inspect', lock.name, async (session) => {
      const parent = this.#pathOf(lock)
      // A server that has told of an end knows all that was before it, and a session sees no older state than it has seen.
      const local = after !== undefined
      const line = this.#lineOf(parent, await this.#children(session, parent, { local }))
      const [first, ...others] = line
      if (after || !first || first.fence !== undefined) return line
      const node = await orNone(session.request(getData(`${parent}/${nodeOf(first)}`)))
      return [{ ...first, fence: node?.stat.czxid }, ...others]
    })
  }

  async remove(lock: LockName, key: string): Promise<boolean> {
    return await this.#asking('release', lock.name, async (session) => {
      const parent = this.#pathOf(lock)
      const own = this.#own.get(parent)?.get(key)
      if (own) this.#unwatch(own)
      const path = own?.path ?? (await this.#find(session, parent, key))
      const removed = path !== undefined && (await orNone(session.request(deleteNode(path)))) !== undefined
      if (own) this.#forget(own)
      return removed
    })
  }

  watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void, decides = false): EntryWatch {
    const session = this.#sessions.current
    if (!session) {
      queueMicrotask(() => onGone(false))
      return { close: () => undefined }
    }
    const parent = this.#pathOf(lock)
    // Watches that begin before the other's report earlier: then the other's end says all.
    if (decides) for (const own of this.#own.get(parent)?.values() ?? []) this.#watchOver(own)
    return session.nodes.watch(`${parent}/${nodeOf(entry)}`, onGone)
  }

  async *names(keyspace: LockKeyspace): AsyncIterable<string> {
    const folder = folderOf(this.terms.root, keyspace)
    const nodes = await this.#asking('list', undefined, (session) => this.#children(session, folder))
    for (const node of nodes) {
      const name = decodeName(node)
      if (name !== undefined) yield name
    }
  }

  close(): void {
    this.#sessions.close()
    this.#forgetOver()
  }

  #pathOf(lock: LockName): string {
    return pathOf(this.terms.root, lock)
  }

  /** Puts an entry in line, and reads the line, with one flight. */
  async #create(session: ZooKeeperSession, own: Own, node: Operation<CreatedNode>): Promise<Line> {
    const { parent } = own
    for (let attempt = 1; ; attempt += 1) {
      const creating = session.request(node)
      const listing = session.request(getChildren(parent, own.deafen !== undefined))
      listing.catch(() => undefined)
      try {
        const { path, stat } = await creating
        own.path = path
        own.fence = stat.czxid
        const line = this.#lineOf(parent, await listing)
        this.#watchLater(own)
        return line
      } catch (error) {
        // The server removes empty folders: also between two of these steps.
        if (!isRefusal(error, codes.noNode) || own.path !== undefined || attempt === MOST_ATTEMPTS)
          throw error
        await makeFolder(session, parent, this.terms.acl)
      }
    }
  }

  /** The line, if that entry stands in it. */
  async #standing(session: ZooKeeperSession, own: Own): Promise<Line | undefined> {
    const { parent } = own
    const nodes = await this.#children(session, parent, { hears: own.deafen !== undefined })
    const entry = lineOf(nodes, () => ({})).find(({ key }) => key === own.key)
    const path = own.path ?? (entry && `${parent}/${nodeOf(entry)}`)
    const node = path === undefined ? undefined : await orNone(session.request(getData(path)))
    if (node?.stat.session !== session.id) return undefined
    own.path = path
    own.fence = node.stat.czxid
    this.#watchLater(own)
    return this.#lineOf(parent, nodes)
  }

  /** The path of that entry; undefined: there is none. */
  async #find(session: ZooKeeperSession, parent: string, key: string): Promise<string | undefined> {
    const entry = this.#lineOf(parent, await this.#children(session, parent)).find((each) => each.key === key)
    return entry && `${parent}/${nodeOf(entry)}`
  }

  /** The names of what is in that node: by the leader's word, or as the server of this session knows it. */
  async #children(
    session: ZooKeeperSession,
    parent: string,
    { local = false, hears = false } = {},
  ): Promise<readonly string[]> {
    const [, nodes] = await Promise.all([
      local ? undefined : session.request(sync(parent)),
      orNone(session.request(getChildren(parent, hears))),
    ])
    return nodes ?? []
  }

  #lineOf(parent: string, nodes: readonly string[]): Line {
    const own = this.#own.get(parent)
    const remainingMs = (this.#sessions.current?.timeoutMs ?? 0) * LONGEST_END
    return lineOf(nodes, (key) => ({ fence: own?.get(key)?.fence, remainingMs })).filter((entry) => {
      // One of an earlier session that is about to go: nobody holds by it any more.
      const path = own?.get(entry.key)?.path
      return path === undefined || path === `${parent}/${nodeOf(entry)}`
    })
  }

  #add(asked: Pick<Own, 'lock' | 'parent' | 'key' | 'session'>): Own {
    const { parent, key } = asked
    const entries = this.#own.get(parent) ?? new Map<string, Own>()
    const unknown = { path: undefined, fence: undefined, deafen: undefined, alarm: undefined }
    const own: Own = { ...asked, ...unknown, watched: false }
    this.#own.set(parent, entries.set(key, own))
    this.#sessions.use(true)
    return own
  }

  #listen(own: Own): void {
    own.deafen?.()
    own.deafen = own.session.nodes.watchFolder(own.parent, () => this.listener.asked(own.lock))
  }

  #watchLater(own: Own): void {
    const { schedule } = this.settings
    // The call may have given it up meanwhile.
    if (!this.#knows(own)) return
    own.alarm ??= schedule.at(schedule.clock.now() + WATCH_AFTER_MS, () => this.#watchOver(own))
  }

  #watchOver(own: Own): void {
    if (own.watched || own.path === undefined || !this.#knows(own)) return
    own.watched = true
    own.session.nodes.watch(own.path, () => {
      if (!own.watched || !this.#knows(own)) return
      this.#forget(own)
      this.listener.gone(own.lock, own.key)
    })
  }

  /** The server's watch goes with the node, without a request. */
  #unwatch(own: Own): void {
    this.settings.schedule.cancel(own.alarm)
    own.watched = false
    own.deafen?.()
  }

  #forget(own: Own): void {
    this.#unwatch(own)
    const entries = this.#own.get(own.parent)
    if (!entries || !this.#knows(own)) return
    entries.delete(own.key)
    if (entries.size > 0) return
    this.#own.delete(own.parent)
    if (this.#own.size === 0) this.#sessions.use(false)
  }

  /** Forgets the entries of sessions that are over: they are gone, or about to go. */
  #forgetOver(): void {
    for (const own of this.#allOwn()) if (own.session.over) this.#forget(own)
  }

  /** Whether this is what it knows of that entry, and no other has come in its place. */
  #knows(own: Own): boolean {
    return this.#own.get(own.parent)?.get(own.key) === own
  }

  #allOwn(): readonly Own[] {
    return [...this.#own.values()].flatMap((entries) => [...entries.values()])
  }

  /** Asks by whichever session there is, and by the next if that has ended. */
  async #asking<Answer>(
    command: string,
    lockName: string | undefined,
    ask: (session: ZooKeeperSession) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      // At once, if that can be, also as the process exits.
      const session = this.#sessions.used ?? (await this.#sessions.any())
      return await ask(session).catch(async (error: unknown) => {
        if (!session.over) throw error
        return await ask(await this.#sessions.any())
      })
    } catch (error) {
      throw failureOf(error, { command, lockName })
    }
  }
}
