import type { Entry, Mode } from '../session/line.js'
import type { KeyValue } from './client/replies.js'

/**
 * The value of an entry: its mode, the length of its lease, its key in the line, and the order of the write that it reads within, or the
 * number of permits that it wants.
 */
interface EntryTerms {
  readonly key?: string | undefined
  readonly mode: Mode
  readonly leaseMs: number
  readonly within?: bigint | undefined
  /** How many permits it is for, where there are permits. */
  readonly permits?: number | undefined
}

export function writeTerms(terms: EntryTerms & { readonly key: string }): Buffer {
  const { mode, leaseMs, key, within, permits } = terms
  const more = permits === undefined ? within : `*${permits}`
  const parts = [mode, Math.ceil(leaseMs), key, ...(more === undefined ? [] : [more])]
  return Buffer.from(parts.join(' '))
}

/** Other programs write nothing or something else: such an entry has the lock alone, for as long as is usual here. */
function readTerms(value: Buffer, usualMs: number): EntryTerms {
  const match = /^(lock|read|write) (\d{1,16}) (\S+)(?: (\d{1,19})| \*(\d{1,16}))?$/.exec(value.toString())
  if (!match) return { mode: 'lock', leaseMs: usualMs }
  const [, mode, leaseMs, key, within, permits] = match
  return {
    mode: mode === 'read' || mode === 'write' ? mode : 'lock',
    leaseMs: Number(leaseMs),
    key,
    within: within === undefined ? undefined : BigInt(within),
    permits: permits === undefined ? undefined : Number(permits),
  }
}

/** An entry as etcd keeps it. */
export class EtcdEntry implements Entry {
  readonly key: string
  /** The key of etcd's that it is. */
  readonly stored: Buffer
  readonly mode: Mode
  readonly order: bigint
  readonly fence: bigint
  /** The revision of its last change. */
  modRevision: bigint
  /** A revision without it, once this client knows one. */
  goneAt: bigint | undefined
  readonly within: bigint | undefined
  readonly permits: number | undefined
  readonly remainingMs: number

  constructor(
    /** The end of its key. */
    name: string,
    { key: stored, createRevision, modRevision, value }: KeyValue,
    usualMs: number,
    /** A revision with it. */
    readonly seenAt: bigint,
  ) {
    const { mode, leaseMs, key, within, permits } = readTerms(value, usualMs)
    this.key = key ?? name
    this.stored = stored
    this.mode = mode
    this.order = createRevision
    this.fence = createRevision
    this.modRevision = modRevision
    this.within = within
    this.permits = permits
    this.remainingMs = leaseMs
  }
}
