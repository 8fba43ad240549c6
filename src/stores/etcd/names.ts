import type { LockKeyspace } from '../../port/store.js'
import type { CellName } from '../session/cells.js'
import type { LockName } from '../session/lock-name.js'
import type { KeyValue } from './client/replies.js'
import { prefixSpan, type Span } from './client/requests.js'
import { type EtcdEntry, entryOf } from './entry.js'

const SEPARATOR = '/'

/**
 * Which keys belong to which lock. The entries of a lock are the keys `<prefix><name>/<slot>` (see slots.ts): those of the lock
 * `<prefix><name>` of Go's `concurrency.Mutex` and of `etcdctl lock`. A slash in a name becomes `%2F` (and a percent sign `%25`), because to
 * those programs an entry of `a/b` would stand in the line of `a`, too. Other kinds lie under `%<keyspace>/`, with which no encoded name
 * begins, and values under `%cells/`.
 */
export class EntryNames {
  #last: (LockName & { readonly folder: string }) | undefined

  constructor(
    private readonly prefix: string,
    /** How long an entry's lease lasts if the entry does not say. */
    private readonly usualMs: number,
  ) {}

  /** All entries of that lock, and what lies deeper. */
  line(lock: LockName): Span {
    return prefixSpan(Buffer.from(this.#folder(lock)))
  }

  entry(lock: LockName, slot: string): Buffer {
    return Buffer.from(this.#folder(lock) + slot)
  }

  /** The end of the key of an entry, if it is one of that lock; undefined for what lies deeper. */
  slotIn(lock: LockName, stored: Buffer): string | undefined {
    const slot = stored.subarray(Buffer.byteLength(this.#folder(lock))).toString()
    return slot === '' || slot.includes(SEPARATOR) ? undefined : slot
  }

  /** The entries of that lock among these keys, which were there at that revision, in the order in which they came. */
  lineIn(lock: LockName, found: readonly KeyValue[], seenAt: bigint): EtcdEntry[] {
    const entries = found.flatMap((each) => {
      // A key without a lease is no entry of a lock.
      const slot = each.lease === 0n ? undefined : this.slotIn(lock, each.key)
      return slot === undefined ? [] : entryOf(slot, each, this.usualMs, seenAt)
    })
    return entries.sort((one, other) => (one.order < other.order ? -1 : 1))
  }

  /** All entries of a keyspace, and others. */
  all(keyspace: LockKeyspace): Span {
    return prefixSpan(Buffer.from(this.#root(keyspace)))
  }

  /** The name of the lock that such a key is an entry of, if it is one. */
  nameOf(keyspace: LockKeyspace, stored: Buffer): string | undefined {
    const parts = stored
      .subarray(Buffer.byteLength(this.#root(keyspace)))
      .toString()
      .split(SEPARATOR)
    const [encoded, key] = parts
    if (parts.length !== 2 || !encoded || !key) return undefined
    return decoded(encoded)
  }

  cell({ space, name }: CellName): Buffer {
    return Buffer.from(`${this.prefix}%cells${SEPARATOR}${space}${SEPARATOR}${encodedName(name)}`)
  }

  /** The key that forbids this entry for as long as the session lasts. */
  tombstone(key: string): Buffer {
    return Buffer.from(`${this.prefix}%gone${SEPARATOR}${key}`)
  }

  /** Remembers the last one: a client mostly asks for the same lock again. */
  #folder({ keyspace, name }: LockName): string {
    const last = this.#last
    if (last?.name === name && last.keyspace === keyspace) return last.folder
    const folder = this.#root(keyspace) + encodedName(name) + SEPARATOR
    this.#last = { keyspace, name, folder }
    return folder
  }

  #root(keyspace: LockKeyspace): string {
    return keyspace === 'lock' ? this.prefix : `${this.prefix}%${keyspace}${SEPARATOR}`
  }
}

export function encodedName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll(SEPARATOR, '%2F')
}

/** The name that this text encodes, if there is one. */
function decoded(encoded: string): string | undefined {
  const name = encoded.replaceAll('%2F', SEPARATOR).replaceAll('%25', '%')
  return encodedName(name) === encoded ? name : undefined
}
