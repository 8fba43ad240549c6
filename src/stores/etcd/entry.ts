import type { Entry } from '../session/line.js'
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
export interface EtcdEntry extends Entry {
  /** The key of etcd's that it is. */
  readonly stored: Buffer
  /** A revision with it. */
  readonly seenAt: bigint
  /** The revision of its last change. */
  modRevision: bigint
  /** A revision without it, once this client knows one. */
  goneAt: bigint | undefined
}

export function isEtcdEntry(entry: Entry | undefined): entry is EtcdEntry {
  return entry !== undefined && 'stored' in entry
}

/** @param name the end of its key */
export function entryOf(name: string, found: KeyValue, usualMs: number, seenAt: bigint): EtcdEntry {
  const { key: stored, createRevision, modRevision, value } = found
  const { key = name, leaseMs: remainingMs, ...terms } = readTerms(value, usualMs)
  const revisions = { order: createRevision, fence: createRevision, modRevision, seenAt, goneAt: undefined }
  return { ...terms, key, remainingMs, stored, ...revisions }
}
