import { type JuteReader, JuteWriter, MalformedReplyError } from './jute.js'

/** A question to a server, or a step of several that are one ({@link multi}). */
export interface Step {
  readonly type: number
  write(out: JuteWriter): void
}

/** The questions to a server: how to write each, and how to read its answer. */
export interface Operation<Result> extends Step {
  /** For errors. */
  readonly name: string
  read(reply: JuteReader): Result
}

/** The part of a node's metadata that locks need. */
export interface NodeStat {
  /** The number of the transaction that made it: greater than that of all before it in the whole ensemble. */
  readonly czxid: bigint
  /** The number of writes of its data since its creation. */
  readonly version: number
  /** The session that it ends with; 0 where it stays. */
  readonly session: bigint
}

export interface CreatedNode {
  /** With the number that the server has given it. */
  readonly path: string
  readonly stat: NodeStat
}

export interface NodeData {
  readonly data: Buffer
  readonly stat: NodeStat
}

/** Who may do what with a node. */
export interface Permission {
  readonly scheme: string
  readonly id: string
}

const ALL_RIGHTS = 31
const NO_DATA: Uint8Array = Buffer.alloc(0)
/** Any of its versions. */
const ANY = -1
const PERSISTENT = 0
const EPHEMERAL_SEQUENTIAL = 3
const CONTAINER = 4
/** The number that the server adds to the path in the request. */
const NUMBER = /^-?\d{1,10}$/
const NOTHING = /^$/
/** Watches of a node itself, not of its children. */
const DATA = 2

function created(name: string, type: number, mode: number) {
  return (path: string, acl: readonly Permission[], data = NO_DATA): Operation<CreatedNode> => ({
    name,
    type,
    write: (out) => {
      out.text(path).buffer(data).int(acl.length)
      for (const { scheme, id } of acl) out.int(ALL_RIGHTS).text(scheme).text(id)
      out.int(mode)
    },
    read: (reply) => {
      const made = { path: reply.text(), stat: readStat(reply) }
      const added = made.path.slice(path.length)
      if (!made.path.startsWith(path) || !(mode === EPHEMERAL_SEQUENTIAL ? NUMBER : NOTHING).test(added))
        throw new MalformedReplyError('the path of another node')
      return made
    },
  })
}

/** Makes a node that ends with its session; the server adds a number to its name that grows with each. */
export const createNumbered = created('create', 15, EPHEMERAL_SEQUENTIAL)

/** Makes a node that the server removes some time after the last one in it. */
export const createContainer = created('createContainer', 19, CONTAINER)

/** Makes a node that stays. */
export const createNode = created('create', 15, PERSISTENT)

export function deleteNode(path: string, version = ANY): Operation<true> {
  return { name: 'delete', type: 2, write: (out) => out.text(path).int(version), read: () => true }
}

export function setData(path: string, data: Uint8Array, version: number): Step {
  return { type: 5, write: (out) => out.text(path).buffer(data).int(version) }
}

/** Is refused where there is no such node. */
export function check(path: string): Step {
  return { type: 13, write: (out) => out.text(path).int(ANY) }
}

/** The step that the server refused, and the code of the refusal. */
export interface Refusal {
  readonly step: number
  readonly code: number
}

const REFUSED_STEP = -1
/** The code of the steps after the refused one. */
const NOT_TRIED = -2

/** All of these steps, or none; undefined: all. */
export function multi(steps: readonly Step[]): Operation<Refusal | undefined> {
  return {
    name: 'multi',
    type: 14,
    write: (out) => {
      for (const { type, write } of steps) {
        out.int(type).bool(false).int(ANY)
        write(out)
      }
      out.int(ANY).bool(true).int(ANY)
    },
    read: (reply) => {
      // The answers of carried-out steps say nothing of use.
      for (let step = 0; ; step += 1) {
        const [type, last] = [reply.int(), reply.bool(), reply.int()]
        if (type !== REFUSED_STEP || last) return undefined
        const code = reply.int()
        if (code !== 0 && code !== NOT_TRIED) return { step, code }
      }
    },
  }
}

/**
 * The names of the nodes in it, in no order.
 *
 * @param watch whether to tell of the next that comes or goes
 */
export function getChildren(path: string, watch = false): Operation<string[]> {
  return {
    name: 'getChildren',
    type: 8,
    write: (out) => out.text(path).bool(watch),
    read: (reply) => {
      const names = reply.texts()
      if (names.some((name) => name.includes('/')))
        throw new MalformedReplyError('a path where a name should be')
      return names
    },
  }
}

/** @param watch whether to tell of the node's next change, if it is there */
export function getData(path: string, watch = false): Operation<NodeData> {
  return {
    name: 'getData',
    type: 4,
    write: (out) => out.text(path).bool(watch),
    read: (reply) => ({ data: reply.buffer(), stat: readStat(reply) }),
  }
}

/** Whether it is there; it tells of the node's next change, or of its making. */
export function watchNode(path: string): Operation<void> {
  return { name: 'exists', type: 3, write: (out) => out.text(path).bool(true), read: () => undefined }
}

/** Takes back what {@link getData} or {@link watchNode} has set. */
export function unwatchNode(path: string): Operation<void> {
  return { name: 'removeWatches', type: 18, write: (out) => out.text(path).int(DATA), read: () => undefined }
}

/** Later reads of the same session are at least as new as the leader's state when it got this request. */
export function sync(path: string): Operation<void> {
  return { name: 'sync', type: 9, write: (out) => out.text(path), read: () => undefined }
}

/** Ends the session and all that ends with it. */
export const closeSession: Operation<void> = {
  name: 'closeSession',
  type: -11,
  write: () => undefined,
  read: () => undefined,
}

/** The fixed numbers of requests that have no running one. */
export const xids = { event: -1, ping: -2, auth: -4, setWatches: -8 } as const

export function requestFrame(xid: number, { type, write }: Operation<unknown>): Buffer {
  const out = new JuteWriter().int(xid).int(type)
  write(out)
  return out.frame()
}

export const pingFrame = new JuteWriter().int(xids.ping).int(11).frame()

export function authFrame(scheme: string, auth: string): Buffer {
  return new JuteWriter().int(xids.auth).int(100).int(0).text(scheme).buffer(Buffer.from(auth)).frame()
}

/** Sets watches on nodes that there were, of which one tells at once that has changed since that transaction. */
export function setWatchesFrame(sinceZxid: bigint, paths: readonly string[]): Buffer {
  const out = new JuteWriter().int(xids.setWatches).int(101)
  return out.long(sinceZxid).texts(paths).texts([]).texts([]).frame()
}

/** The first frame on a connection: begins a session, or goes on with one. */
export interface Greeting {
  /** The latest transaction this client has seen: a server that is behind it refuses. */
  readonly seenZxid: bigint
  readonly timeoutMs: number
  /** 0: a new one. */
  readonly session: bigint
  readonly password: Uint8Array
}

export function greetingFrame({ seenZxid, timeoutMs, session, password }: Greeting): Buffer {
  // Not to a server that has lost its majority and would only answer reads.
  const readOnly = false
  return new JuteWriter()
    .int(0)
    .long(seenZxid)
    .int(timeoutMs)
    .long(session)
    .buffer(password)
    .bool(readOnly)
    .frame()
}

export interface Welcome {
  /** The time that the server grants; 0 or less: the session has ended. */
  readonly timeoutMs: number
  readonly session: bigint
  readonly password: Buffer
  readonly readOnly: boolean
}

const PASSWORD_BYTES = 16

export function readWelcome(reply: JuteReader): Welcome {
  reply.int()
  const [timeoutMs, session] = [reply.int(), reply.long()]
  // A copy: the frame's memory is the socket's.
  const password = Buffer.from(reply.buffer())
  if (timeoutMs > 0 && password.length !== PASSWORD_BYTES)
    throw new MalformedReplyError(`a password of ${password.length} bytes`)
  // Servers before 3.4 say nothing of it.
  return { timeoutMs, session, password, readOnly: reply.left > 0 && reply.bool() }
}

function readStat(reply: JuteReader): NodeStat {
  const czxid = reply.long()
  for (let longs = 3; longs > 0; longs -= 1) reply.long()
  const version = reply.int()
  for (let ints = 2; ints > 0; ints -= 1) reply.int()
  const session = reply.long()
  reply.int()
  reply.int()
  reply.long()
  return { czxid, version, session }
}
