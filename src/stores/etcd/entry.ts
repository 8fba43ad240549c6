import type { Entry, Mode } from '../session/line.js'
import type { KeyValue } from './client/replies.js'

/**
 * What is kept as the value of an entry: how it has the lock, how long its lease is, its key as lines have it, and the order of the entry that it
 * reads within, how many permits it is for (`*`), or that its client may keep the lock beyond its release (`+`).
 */
interface EntryTerms extends Pick<Entry, 'mode' | 'within' | 'permits' | 'keeps'> {
  readonly key?: string | undefined
  readonly leaseMs: number
}

export function writeTerms(terms: EntryTerms & { readonly key: string }): Buffer {
  const { mode, leaseMs, key, within, permits, keeps } = terms
  const more = keeps ? '+' : permits === undefined ? within : `*${permits}`
  const parts = [mode, Math.ceil(leaseMs), key, ...(more === undefined ? [] : [more])]
  return Buffer.from(parts.join(' '))
}

/** Other programs write nothing or something else: such an entry has the lock alone, for as long as is usual here. */
function readTerms(value: Buffer, usualMs: number): EntryTerms {
  const match = /^(lock|read|write) (\d{1,16}) (\S+)(?: (\d{1,19})| \*(\d{1,16})| (\+))?$/.exec(
    value.toString(),
  )
  if (!match) return { mode: 'lock', leaseMs: usualMs }
  const [, mode, leaseMs, key, within, permits, keeps] = match
  return {
    mode: mode === 'read' || mode === 'write' ? mode : 'lock',
    leaseMs: Number(leaseMs),
    key,
    within: within === undefined ? undefined : BigInt(within),
    permits: permits === undefined ? undefined : Number(permits),
    keeps: keeps !== undefined,
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
  readonly keeps: boolean | undefined
  readonly remainingMs: number

  constructor(
    /** The end of its key. */
    name: string,
    { key: stored, createRevision, modRevision, value }: KeyValue,
    usualMs: number,
    /** A revision with it. */
    readonly seenAt: bigint,
  ) {
    const { mode, leaseMs, key, within, permits, keeps } = readTerms(value, usualMs)
    this.key = key ?? name
    this.stored = stored
    this.mode = mode
    this.order = createRevision
    this.fence = createRevision
    this.modRevision = modRevision
    this.within = within
    this.permits = permits
    this.keeps = keeps
    this.remainingMs = leaseMs
  }
}
