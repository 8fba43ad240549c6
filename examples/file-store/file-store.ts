/**
 * A store of every kind of lock in a folder: for the processes of one machine, without any server. Each row is a folder, each version of
 * it a file; who is first to create the next version has made the change. Shows how little a store has to be; see docs/writing-a-store.md.
 */
import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CompareAndSet,
  type Keyspace,
  matchesGlob,
  type Packed,
  type RowSession,
  RowStoreSession,
  type Rows,
  type Store,
  type StoreSession,
  type StoreSettings,
  type StoreTraits,
  storeKinds,
  type Versioned,
  type VersionedTable,
} from 'holdfast/store'

/** Nothing is pushed: who waits asks again, and in no order, so that there is nothing fair about it. */
export const fileTraits: Partial<StoreTraits> = {
  push: false,
  countsWaiters: false,
  fifo: false,
  lingers: false,
  kinds: storeKinds.filter((kind) => kind !== 'fairLock' && kind !== 'readWriteLock'),
}

export class FileStore implements Store {
  readonly portVersion = 1
  readonly traits = fileTraits

  constructor(private readonly folder: string) {}

  open(settings: StoreSettings): StoreSession {
    const table = new FileTable(this.folder)
    const rows: Rows = {
      openRows: (): RowSession => {
        const compareAndSet = new CompareAndSet(table, settings)
        return {
          change: (shape, name, change) => compareAndSet.change(shape, name, change),
          names: (keyspace, pattern) => table.names(keyspace, pattern),
          close: async () => undefined,
        }
      },
    }
    return new RowStoreSession(rows, settings)
  }
}

interface Row {
  readonly name: string
  /** Infinity and whole numbers of any size, which JSON does not know, as texts. */
  readonly packed: Omit<Packed, 'endsAt' | 'fence'> & { readonly endsAt?: string; readonly fence?: string }
}

class FileTable implements VersionedTable {
  constructor(private readonly folder: string) {}

  async read(keyspace: Keyspace, name: string): Promise<Versioned> {
    const found = await this.#latest(this.#rowOf(keyspace, name))
    const now = Date.now()
    if (!found) return { packed: undefined, version: 0n, now, unreachable: new Set() }
    const { endsAt, fence, ...rest } = found.row.packed
    const packed: Packed = {
      ...rest,
      endsAt: endsAt === undefined ? undefined : Number(endsAt),
      fence: fence === undefined ? undefined : BigInt(fence),
    }
    // No message reaches anybody.
    return { packed, version: found.version, now, unreachable: new Set(packed.waiting) }
  }

  async write(keyspace: Keyspace, name: string, version: bigint, packed: Packed): Promise<boolean> {
    const { endsAt, fence, ...rest } = packed
    const row: Row = {
      name,
      packed: {
        ...rest,
        ...(endsAt !== undefined && { endsAt: String(endsAt) }),
        ...(fence !== undefined && { fence: String(fence) }),
      },
    }
    const folder = this.#rowOf(keyspace, name)
    await mkdir(folder, { recursive: true })
    const draft = join(folder, `draft-${randomUUID()}`)
    const next = join(folder, String(version + 1n))
    await writeFile(draft, JSON.stringify(row))
    try {
      // Whole or not at all, and only if nobody else has: that is the compare and set.
      await link(draft, next)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    } finally {
      await rm(draft, { force: true })
    }
    const versions = await versionsIn(folder)
    // Others may have gone on and cleared that version away: then this one came too late.
    const isLatest = versions.every((each) => each <= version + 1n)
    if (!isLatest) await rm(next, { force: true })
    else for (const old of versions) if (old <= version) await rm(join(folder, String(old)), { force: true })
    return isLatest
  }

  async *names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    for (const row of await entriesOf(join(this.folder, keyspace))) {
      const found = await this.#latest(join(this.folder, keyspace, row))
      if (found && matchesGlob(pattern, found.row.name)) yield found.row.name
    }
  }

  async #latest(folder: string): Promise<{ readonly row: Row; readonly version: bigint } | undefined> {
    for (;;) {
      const [version] = (await versionsIn(folder)).sort((one, other) => (one < other ? 1 : -1))
      if (version === undefined) return undefined
      try {
        return { row: JSON.parse(await readFile(join(folder, String(version)), 'utf8')), version }
      } catch (error) {
        // The next version is there already.
        if (codeOf(error) !== 'ENOENT') throw error
      }
    }
  }

  /** Names of locks may be longer than names of files. */
  #rowOf(keyspace: Keyspace, name: string): string {
    return join(this.folder, keyspace, createHash('sha256').update(name).digest('hex'))
  }
}

async function versionsIn(folder: string): Promise<bigint[]> {
  return (await entriesOf(folder)).filter((name) => /^\d+$/.test(name)).map(BigInt)
}

async function entriesOf(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
