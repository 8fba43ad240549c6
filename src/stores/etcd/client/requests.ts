/** The requests of etcd's API (version 3) that Holdfast makes, by the numbers of their fields: see etcd's `rpc.proto`. */
import { MessageWriter } from './protobuf.js'

/** A key, or all from one to before another. */
export interface Span {
  readonly key: Buffer
  readonly end?: Buffer
}

/** Every key that begins so. */
export function prefixSpan(prefix: Buffer): Span {
  // The end is the prefix with its last byte one higher; a last byte of 0xff never occurs in UTF-8.
  const end = Buffer.from(prefix)
  const last = end.length - 1
  end[last] = (end[last] ?? 0) + 1
  return prefix.length === 0 ? { key: Buffer.of(0), end: Buffer.of(0) } : { key: prefix, end }
}

export interface RangeTerms extends Span {
  /** At most so many; 0: all. */
  readonly limit?: number
  readonly keysOnly?: boolean
  /** The state that this one server knows, which may be behind the others. */
  readonly serializable?: boolean
}

export type Condition =
  /** No key of the span is there. */
  | { readonly absent: Span }
  /** The key is there, and has been since that revision. */
  | { readonly key: Buffer; readonly createRevision: bigint }
  /** The key is there, and was last changed at that revision. */
  | { readonly key: Buffer; readonly modRevision: bigint }

export interface PutTerms {
  readonly key: Buffer
  readonly value: Buffer
  /** 0: none. */
  readonly lease: bigint
}

export type Operation =
  | { readonly range: RangeTerms }
  | { readonly put: PutTerms }
  /** Writes what is there once more. */
  | { readonly touch: Buffer }
  | { readonly remove: Span }

export interface Transaction {
  /** All of it must be so. */
  readonly when: readonly Condition[]
  readonly ifSo: readonly Operation[]
  readonly ifNot?: readonly Operation[]
}

const CREATE_REVISION = 1
const MOD_REVISION = 2
const EQUAL = 0
const NOTHING = Buffer.alloc(0)

function range({ limit = 0, keysOnly = false, serializable = false, ...span }: RangeTerms): MessageWriter {
  return remove(span).number(3, limit).flag(7, serializable).flag(8, keysOnly)
}

function remove({ key, end = NOTHING }: Span): MessageWriter {
  return new MessageWriter().bytes(1, key).bytes(2, end)
}

function condition(terms: Condition): MessageWriter {
  const equal = new MessageWriter().number(1, EQUAL)
  if ('modRevision' in terms)
    return equal.number(2, MOD_REVISION).bytes(3, terms.key).number(6, terms.modRevision)
  equal.number(2, CREATE_REVISION)
  if ('createRevision' in terms) return equal.bytes(3, terms.key).number(5, terms.createRevision)
  const { key, end = NOTHING } = terms.absent
  return equal.bytes(3, key).bytes(64, end)
}

function operation(terms: Operation): MessageWriter {
  const message = new MessageWriter()
  if ('range' in terms) return message.message(1, range(terms.range))
  if ('remove' in terms) return message.message(3, remove(terms.remove))
  if ('touch' in terms)
    return message.message(2, new MessageWriter().bytes(1, terms.touch).flag(5, true).flag(6, true))
  const { key, value, lease } = terms.put
  return message.message(2, new MessageWriter().bytes(1, key).bytes(2, value).number(3, lease))
}

function transaction({ when, ifSo, ifNot = [] }: Transaction): MessageWriter {
  const message = new MessageWriter()
  for (const each of when) message.message(1, condition(each))
  for (const each of ifSo) message.message(2, operation(each))
  for (const each of ifNot) message.message(3, operation(each))
  return message
}

/** The messages, encoded. */
export const requests = {
  range: (terms: RangeTerms): Buffer => range(terms).done(),
  deleteRange: (span: Span): Buffer => remove(span).done(),
  txn: (terms: Transaction): Buffer => transaction(terms).done(),
  leaseGrant: (ttlSeconds: number): Buffer => new MessageWriter().number(1, ttlSeconds).done(),
  /** Names one lease, to revoke it or to keep it alive. */
  lease: (id: bigint): Buffer => new MessageWriter().number(1, id).done(),
  authenticate: (user: string, password: string): Buffer =>
    new MessageWriter().bytes(1, user).bytes(2, password).done(),
  /** Watches a key, or all of a span, from now on, for its end alone or for every change. */
  watch: (watchId: bigint, { key, end }: Span, changes: boolean): Buffer => {
    const noPuts = 0
    const create = new MessageWriter().bytes(1, key)
    if (end) create.bytes(2, end)
    // The filter is 0, which would be left out; the list of filters is packed.
    if (!changes) create.bytes(5, Buffer.of(noPuts))
    create.number(7, watchId)
    return new MessageWriter().message(1, create).done()
  },
  cancelWatch: (watchId: bigint): Buffer =>
    new MessageWriter().message(2, new MessageWriter().number(1, watchId)).done(),
} as const
