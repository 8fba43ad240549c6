/** etcd's replies, as far as Holdfast reads them. Each reader throws a {@link MalformedError} for any other bytes. */
import { type Field, fieldsOf, MalformedError, signed } from './protobuf.js'
import type { Operation, Transaction } from './requests.js'

export interface KeyValue {
  readonly key: Buffer
  readonly value: Buffer
  readonly createRevision: bigint
  readonly modRevision: bigint
  readonly lease: bigint
}

export interface RangeReply {
  /** The revision of the last change before it. */
  readonly revision: bigint
  readonly entries: readonly KeyValue[]
  /** Whether there are more than the request wanted. */
  readonly more: boolean
}

/** Undefined for a put. */
export type OperationReply = readonly KeyValue[] | { readonly deleted: number } | undefined

export interface TxnReply extends Pick<RangeReply, 'revision'> {
  /** Whether its condition held. */
  readonly succeeded: boolean
  /** One for each operation. */
  readonly replies: readonly OperationReply[]
}

export interface LeaseReply {
  readonly id: bigint
  /** 0: it has ended. */
  readonly ttlSeconds: number
}

export interface WatchReply {
  /** In the answer to a new watch, the revision of the last change before it. */
  readonly revision: bigint
  readonly watchId: bigint
  readonly created: boolean
  readonly canceled: boolean
  readonly reason: string
  /** The revision at which a key was last deleted; 0 if none was. */
  readonly endedAt: bigint
  /** What happened, in the order of the revisions. */
  readonly events: readonly KeyEvent[]
}

/** What happened to a key. */
export interface KeyEvent {
  readonly key: Buffer
  readonly deleted: boolean
  readonly revision: bigint
  /** 0 where it was deleted. */
  readonly createRevision: bigint
  readonly lease: bigint
}

const NOTHING = Buffer.alloc(0)

/** The fields of a message by their numbers; of one that repeats, the last. */
class Fields {
  readonly #fields: readonly Field[]

  constructor(message: Buffer) {
    this.#fields = fieldsOf(message)
  }

  number(field: number): bigint {
    const value = this.#last(field, 'bigint')
    return typeof value === 'bigint' ? signed(value) : 0n
  }

  flag(field: number): boolean {
    return this.number(field) !== 0n
  }

  bytes(field: number): Buffer {
    const value = this.#last(field, 'object')
    return Buffer.isBuffer(value) ? value : NOTHING
  }

  all(field: number): Buffer[] {
    const all: Buffer[] = []
    for (const { number, value } of this.#fields)
      if (number === field && typeof value === 'object') all.push(value)
    return all
  }

  has(field: number): boolean {
    return this.#last(field, 'object') !== undefined
  }

  #last(field: number, type: 'bigint' | 'object'): Field['value'] | undefined {
    for (let at = this.#fields.length - 1; at >= 0; at -= 1) {
      const found = this.#fields[at]
      if (found?.number === field && typeof found.value === type) return found.value
    }
    return undefined
  }
}

function keyValue(message: Buffer): KeyValue {
  const fields = new Fields(message)
  const createRevision = fields.number(2)
  if (createRevision <= 0n) throw new MalformedError('a key is there that was never created')
  return {
    key: fields.bytes(1),
    value: fields.bytes(5),
    createRevision,
    modRevision: fields.number(3),
    lease: fields.number(6),
  }
}

function operationReply(message: Buffer): OperationReply {
  const fields = new Fields(message)
  if (fields.has(1)) return new Fields(fields.bytes(1)).all(2).map(keyValue)
  if (fields.has(2)) return undefined
  if (fields.has(3)) return { deleted: Number(new Fields(fields.bytes(3)).number(2)) }
  throw new MalformedError('an operation was answered by nothing')
}

function fits(asked: Operation, answer: OperationReply): boolean {
  if ('range' in asked) return Array.isArray(answer)
  if ('remove' in asked) return answer !== undefined && 'deleted' in answer
  return answer === undefined
}

function revisionIn(fields: Fields): bigint {
  const revision = fields.has(1) ? new Fields(fields.bytes(1)).number(3) : 0n
  if (revision <= 0n) throw new MalformedError('it has no revision')
  return revision
}

function lease(fields: Fields): LeaseReply {
  const id = fields.number(2)
  if (id === 0n) throw new MalformedError('it is about no lease')
  return { id, ttlSeconds: Number(fields.number(3)) }
}

const DELETED = 1n
/** etcd grants no lease for longer. */
export const LONGEST_TTL_SECONDS = 9_000_000_000

function keyEvent(message: Buffer): KeyEvent {
  const event = new Fields(message)
  const fields = new Fields(event.bytes(2))
  return {
    key: fields.bytes(1),
    deleted: event.number(1) === DELETED,
    revision: fields.number(3),
    createRevision: fields.number(2),
    lease: fields.number(6),
  }
}

export const replies = {
  range: (message: Buffer): RangeReply => {
    const fields = new Fields(message)
    return { revision: revisionIn(fields), entries: fields.all(2).map(keyValue), more: fields.flag(3) }
  },
  deleted: (message: Buffer): number => {
    const fields = new Fields(message)
    revisionIn(fields)
    return Number(fields.number(2))
  },
  /** To that transaction: an answer for each of its operations. */
  txn: (message: Buffer, { ifSo, ifNot = [] }: Transaction): TxnReply => {
    const fields = new Fields(message)
    const succeeded = fields.flag(2)
    const answers = fields.all(3).map(operationReply)
    const asked = succeeded ? ifSo : ifNot
    const all = answers.length === asked.length
    if (!all || asked.some((each, index) => !fits(each, answers[index])))
      throw new MalformedError('it answers other operations')
    return { revision: revisionIn(fields), succeeded, replies: answers }
  },
  leaseGrant: (message: Buffer): LeaseReply => {
    const fields = new Fields(message)
    revisionIn(fields)
    const granted = lease(fields)
    if (granted.ttlSeconds <= 0 || granted.ttlSeconds > LONGEST_TTL_SECONDS)
      throw new MalformedError('a lease was granted for no time that etcd grants')
    return granted
  },
  leaseRevoke: (message: Buffer): void => void revisionIn(new Fields(message)),
  /** The answer about that lease. */
  leaseKeepAlive: (message: Buffer, id: bigint): LeaseReply => {
    const kept = lease(new Fields(message))
    if (kept.id !== id) throw new MalformedError('it is about another lease')
    return kept
  },
  token: (message: Buffer): string => {
    const token = new Fields(message).bytes(2).toString()
    // It goes into a header.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new MalformedError('it has no token')
    return token
  },
  watch: (message: Buffer): WatchReply => {
    const fields = new Fields(message)
    const events = fields.all(11).map(keyEvent)
    const [created, canceled] = [fields.flag(3), fields.flag(4)]
    return {
      // etcd's proxy leaves it out where a watch ends.
      revision: created && !canceled ? revisionIn(fields) : 0n,
      watchId: fields.number(2),
      created,
      canceled,
      reason: fields.bytes(6).toString(),
      events,
      endedAt: events.findLast(({ deleted }) => deleted)?.revision ?? 0n,
    }
  },
} as const
