import { randomBytes } from 'node:crypto'
import { StoreError } from '../../base/errors/errors.js'
import { machineTime } from '../../base/time/machine-time.js'
import type { Cell, CellName, Cells, CellWatch, CellWrite } from '../session/cells.js'
import type { Line } from '../session/line.js'
import type { LockName } from '../session/lock-name.js'
import {
  check,
  createNode,
  deleteNode,
  getChildren,
  getData,
  multi,
  type NodeData,
  type Permission,
  type Refusal,
  type Step,
  setData,
  sync,
  watchNode,
} from './client/operations.js'
import { codes, orNone, RefusedError } from './client/result-codes.js'
import type { ZooKeeperSession } from './client/session.js'
import { MOST_ATTEMPTS, makeFolder } from './folder.js'
import { cellPathOf } from './node-name.js'

/** The parts of the link that cells need. */
export interface CellTerms {
  readonly root: string
  readonly acl: readonly Permission[]
  /** Asks by whichever session there is. */
  ask<Answer>(
    command: string,
    name: string,
    ask: (session: ZooKeeperSession) => Promise<Answer>,
  ): Promise<Answer>
  lineBy(session: ZooKeeperSession, lock: LockName): Promise<Line>
  /** The node of an own entry, if it surely stands. */
  entryPath(lock: LockName, key: string): string | undefined
  readonly onError: (error: unknown) => void
}

/** A value as its node keeps it. */
interface Kept {
  /** Tells the node from earlier ones of its name with the same version. */
  readonly id: bigint
  /** From when on nobody needs it, in milliseconds since 1970. */
  readonly until: number
  readonly text: string
}

interface Watched {
  readonly path: string
  readonly onChange: () => void
  /** The session that watches it. */
  session: ZooKeeperSession | undefined
  confirmed: Promise<void>
  stop: () => void
}

type Outcome = 'written' | 'other version' | 'gone'

/** ZooKeeper takes no request of more than 1 MiB (`jute.maxbuffer`), and breaks the connection by which one comes. */
const MOST_BYTES = 1_000_000
/** After so many writes of values that end some day, the client looks for ended ones. */
const TIDY_EVERY = 100
const LOOKS = 400

/**
 * Values in ZooKeeper: each the data of a node, in which lies an empty one with the id of the value's node as its name. The version of the
 * data alone would not do, since it begins anew with each node of a name.
 */
export class ZooKeeperCells implements Cells {
  readonly #watched = new Set<Watched>()
  #writesUntilTidy = Math.ceil(Math.random() * TIDY_EVERY)

  constructor(private readonly terms: CellTerms) {}

  read(cell: CellName): Promise<Cell> {
    return this.terms.ask('getData', cell.name, async (session) => cellIn(await this.#nodeBy(session, cell)))
  }

  readBeside(cell: CellName, lock: LockName): Promise<{ readonly cell: Cell; readonly line: Line }> {
    return this.terms.ask('getData', cell.name, async (session) => {
      // The server carries out a session's requests in this order.
      const [line, node] = await Promise.all([this.terms.lineBy(session, lock), this.#nodeBy(session, cell)])
      return { cell: cellIn(node), line }
    })
  }

  async write(request: CellWrite): Promise<bigint | undefined> {
    const { cell, text, keepMs } = request
    if (text !== undefined && keepMs !== Infinity) this.#tidyNow(cell)
    for (;;) {
      const version = request.version ?? (await this.read(cell)).version
      const next = text === undefined ? 0n : version === 0n ? versionOf(newId(), 0) : version + 1n
      const outcome = await this.#write(request, version, next)
      if (outcome === 'written') return next
      if (outcome === 'gone' || request.version !== undefined) return undefined
    }
  }

  watch(cell: CellName, onChange: () => void): CellWatch {
    const watched: Watched = {
      path: cellPathOf(this.terms.root, cell),
      onChange: () => onChange(),
      session: undefined,
      confirmed: Promise.resolve(),
      stop: () => undefined,
    }
    this.#watched.add(watched)
    return {
      confirmed: this.terms.ask('exists', cell.name, (session) => this.#watchBy(session, watched)),
      close: () => {
        this.#watched.delete(watched)
        watched.stop()
      },
    }
  }

  /** Moves the watches of an earlier session to this one. */
  goOnBy(session: ZooKeeperSession): void {
    for (const watched of this.#watched) {
      this.#watchBy(session, watched).catch(() => undefined)
      watched.onChange()
    }
  }

  /** ZooKeeper tells no time but that of writes. */
  now(): number {
    return machineTime.wallMs()
  }

  #watchBy(session: ZooKeeperSession, watched: Watched): Promise<void> {
    if (watched.session === session || !this.#watched.has(watched)) return watched.confirmed
    watched.stop()
    watched.session = session
    watched.stop = session.nodes.watchChanges(watched.path, watched.onChange)
    watched.confirmed = orNone(session.request(watchNode(watched.path)))
    return watched.confirmed
  }

  async #nodeBy(session: ZooKeeperSession, cell: CellName): Promise<NodeData | undefined> {
    const path = cellPathOf(this.terms.root, cell)
    const [, node] = await Promise.all([session.request(sync(path)), orNone(session.request(getData(path)))])
    return node
  }

  /** Makes that version of it the next. */
  async #write(request: CellWrite, version: bigint, next: bigint): Promise<Outcome> {
    const { cell, text, keepMs, whileStands } = request
    const entry = whileStands && this.terms.entryPath(whileStands.lock, whileStands.key)
    if (whileStands && entry === undefined) return 'gone'
    const guards = entry === undefined ? [] : [check(entry)]
    const data =
      text === undefined
        ? undefined
        : bytesOf({ id: idOf(next), until: keepMs === Infinity ? Infinity : this.now() + keepMs, text })
    const path = cellPathOf(this.terms.root, cell)
    if (data && data.length + 3 * Buffer.byteLength(path) > MOST_BYTES) throw tooLong(cell.name, data.length)
    const steps = [...guards, ...this.#steps(path, version, next, data)]
    return await this.terms.ask('multi', cell.name, async (session) => {
      for (let attempt = 1; ; attempt += 1) {
        const refusal = await session.request(multi(steps))
        if (!refusal) return 'written'
        if (refusal.step < guards.length && refusal.code === codes.noNode) return 'gone'
        if (version === 0n && refusal.code === codes.noNode && attempt < MOST_ATTEMPTS)
          await makeFolder(session, path.slice(0, path.lastIndexOf('/')), this.terms.acl)
        else return otherVersion(refusal)
      }
    })
  }

  #steps(path: string, version: bigint, next: bigint, data: Uint8Array | undefined): readonly Step[] {
    const { acl } = this.terms
    const mark = (each: bigint): string => `${path}/${idOf(each).toString(16)}`
    if (version === 0n) {
      const made = [createNode(path, acl, data), createNode(mark(next), acl)]
      // The value is absent and should be: making and removing it in one step fails if there is one.
      return data ? made : [...made, deleteNode(mark(next)), deleteNode(path)]
    }
    const written = Number(BigInt.asIntN(32, version))
    return data
      ? [check(mark(version)), setData(path, data, written)]
      : [deleteNode(mark(version)), deleteNode(path, written)]
  }

  #tidyNow({ space }: CellName): void {
    this.#writesUntilTidy -= 1
    if (this.#writesUntilTidy > 0) return
    this.#writesUntilTidy = TIDY_EVERY
    this.#tidy(space).catch(this.terms.onError)
  }

  /** Removes what nobody needs any more among some values. The server cannot: as it comes, it ends no node by time. */
  async #tidy(space: CellName['space']): Promise<void> {
    const folder = cellPathOf(this.terms.root, { space, name: '' }).slice(0, -1)
    await this.terms.ask('getChildren', space, async (session) => {
      // The server removes the folder when it has been empty for a while.
      const nodes = (await orNone(session.request(getChildren(folder)))) ?? []
      const from = Math.floor(Math.random() * nodes.length)
      const some = [...nodes.slice(from), ...nodes.slice(0, from)].slice(0, LOOKS)
      const looks = some.map(async (name) => {
        const path = `${folder}/${name}`
        const node = await session.request(getData(path)).catch(() => undefined)
        const kept = node && keptIn(node)
        if (!kept || kept.until > this.now()) return
        const version = versionOf(kept.id, node.stat.version)
        await session.request(multi(this.#steps(path, version, 0n, undefined)))
      })
      await Promise.all(looks)
    })
  }
}

/** A random number of 63 bits, but not 0. */
function newId(): bigint {
  return (randomBytes(8).readBigUInt64BE() >> 1n) | 1n
}

function versionOf(id: bigint, written: number): bigint {
  return (id << 32n) | BigInt.asUintN(32, BigInt(written))
}

function idOf(version: bigint): bigint {
  return version >> 32n
}

function bytesOf({ id, until, text }: Kept): Buffer {
  return Buffer.from(`${id.toString(16)} ${until} ${text}`)
}

/** Undefined where another program has written it. */
function keptIn({ data }: NodeData): Kept | undefined {
  const [, id, until, text] =
    /^([0-9a-f]{1,16}) (\d+(?:\.\d+)?|Infinity) ([\s\S]*)$/.exec(data.toString()) ?? []
  if (id === undefined || text === undefined) return undefined
  return { id: BigInt(`0x${id}`), until: Number(until), text }
}

function cellIn(node: NodeData | undefined): Cell {
  if (!node) return { text: undefined, version: 0n }
  const kept = keptIn(node)
  if (!kept)
    throw new StoreError('wrong-type', 'getData', {
      transient: false,
      hint: 'Holdfast cannot read the node: another program has written it. Delete the node, or use another name.',
    })
  return { text: kept.text, version: versionOf(kept.id, node.stat.version) }
}

/** Others were faster, if that was it. */
function otherVersion({ code }: Refusal): Outcome {
  if (code === codes.noNode || code === codes.nodeExists || code === codes.badVersion) return 'other version'
  throw new RefusedError('multi', code)
}

function tooLong(lockName: string, bytes: number): StoreError {
  const hint = `ZooKeeper keeps no value of ${bytes} bytes: the most is 1 MB, with its name.`
  return new StoreError('out-of-memory', 'multi', { lockName, transient: false, hint })
}
