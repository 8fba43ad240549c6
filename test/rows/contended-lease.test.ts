/** From when on a lease counts whose row others keep changing: from when the store's clock was asked for it, not from when the call came. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { type Hold, Holdfast, type Store } from '../../src/index.js'
import { CompareAndSet } from '../../src/stores/rows/compare-and-set.js'
import type { Inbox, Rows, Versioned, VersionedTable } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Packed } from '../../src/stores/rows/shape.js'

const WAY_MS = 5
/** Two statements, there and back: what a change takes that nobody else disturbs. */
const CHANGE_MS = 4 * WAY_MS
const LEASE_MS = 50
const inbox: Inbox = { open: true, opened: async () => undefined, doubt: () => undefined }

/** A table across a network, where another client changes the row before some of the writes come. */
class ContendedTable implements VersionedTable {
  conflicts = 0
  written = 0
  endsAt = 0
  readonly #rows = new Map<string, { readonly packed: Packed; readonly version: bigint }>()

  constructor(private readonly clock: VirtualClock) {}

  async read(keyspace: string, name: string): Promise<Versioned> {
    await this.#way()
    const { packed, version = 0n } = this.#rows.get(`${keyspace} ${name}`) ?? {}
    const seen = { packed, version, now: this.clock.now(), unreachable: new Set<string>() }
    await this.#way()
    return seen
  }

  async write(keyspace: string, name: string, version: bigint, packed: Packed): Promise<boolean> {
    await this.#way()
    this.conflicts -= 1
    const done = this.conflicts < 0
    if (done) {
      this.written += 1
      this.endsAt = packed.endsAt ?? 0
      this.#rows.set(`${keyspace} ${name}`, { packed, version: version + 1n })
    }
    await this.#way()
    return done
  }

  #way(): Promise<void> {
    return new Promise((resolve) => this.clock.startTimer(resolve, WAY_MS))
  }
}

let clock: VirtualClock
let table: ContendedTable
let holdfast: Holdfast | undefined

beforeEach(() => {
  clock = new VirtualClock()
  table = new ContendedTable(clock)
})

afterEach(async () => {
  const closing = holdfast?.close()
  await clock.advance(10_000)
  await closing
})

function storeWith(heard: Inbox | undefined): Store {
  const rows: Rows = {
    openRows: (settings) => {
      const rowsOfTable = new CompareAndSet(table, settings)
      return {
        inbox: heard,
        change: (shape, name, change) => rowsOfTable.change(shape, name, change),
        async *names() {},
        close: async () => undefined,
      }
    },
  }
  return { clock, open: (settings) => new RowStoreSession(rows, settings) }
}

test.each([
  ['lock, by polls', undefined, (holdfast: Holdfast) => holdfast.lock('a')],
  ['lock', inbox, (holdfast: Holdfast) => holdfast.lock('a')],
  ['fair lock', inbox, (holdfast: Holdfast) => holdfast.fairLock('a')],
  ['write lock', inbox, (holdfast: Holdfast) => holdfast.readWriteLock('a').writeLock()],
  ['read lock', inbox, (holdfast: Holdfast) => holdfast.readWriteLock('a').readLock()],
] as const)('%s: others who change the row first use up nothing of the lease', async (_, heard, lockOf) => {
  holdfast = new Holdfast(storeWith(heard))
  table.conflicts = 4
  let hold: Hold | undefined
  const acquiring = lockOf(holdfast).acquire({ leaseMs: LEASE_MS })
  acquiring.then(
    (got) => {
      hold = got
    },
    () => undefined,
  )
  while (table.written === 0) await clock.advance(1)
  expect(clock.now()).toBeGreaterThan(LEASE_MS)
  await clock.advance(WAY_MS)
  if (!hold) throw new Error('the grant came too late for its lease')
  // Never longer than the store has it.
  expect(hold.remainingMs()).toBeGreaterThan(LEASE_MS - CHANGE_MS - 5)
  expect(hold.remainingMs()).toBeLessThanOrEqual(table.endsAt - clock.now())
})
