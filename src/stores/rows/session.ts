import type { StoreSession, StoreSettings } from '../../port/store.js'
import { RowEdgesPort } from './edges-port.js'
import { RowGuardedPort } from './guarded-port.js'
import { RowLatchPort } from './latch-port.js'
import { RowLockPort } from './lock-port.js'
import { RowPermitExpirablePort } from './permit-expirable-port.js'
import { RowReadWritePort } from './read-write-port.js'
import { RowClient } from './row-client.js'
import type { Rows } from './rows.js'
import { RowSemaphorePort } from './semaphore-port.js'
import { RowValuesPort } from './values-port.js'

/** One client's access to locks kept as rows. Fair and read-write locks need a store that can push a grant. */
export class RowStoreSession implements StoreSession {
  readonly lock: RowLockPort
  readonly announcedLock: RowLockPort
  readonly fencedLock: RowLockPort
  readonly fairLock: RowLockPort | undefined
  /** Its waiters poll, as its options say. */
  readonly spinLock: RowLockPort
  readonly readWriteLock: { readonly read: RowReadWritePort; readonly write: RowReadWritePort } | undefined
  readonly semaphore: RowSemaphorePort
  readonly permitExpirableSemaphore: RowPermitExpirablePort
  readonly countDownLatch: RowLatchPort
  readonly values: RowValuesPort
  readonly guardedValues: RowGuardedPort
  readonly edges: RowEdgesPort
  readonly #client: RowClient

  constructor(rows: Rows, settings: StoreSettings) {
    const client = new RowClient(rows, settings)
    this.#client = client
    this.lock = new RowLockPort(client, 'x', true)
    this.fairLock = client.inbox && this.lock
    this.fencedLock = new RowLockPort(client, 'f', true)
    this.announcedLock = new RowLockPort(client, 'x', false)
    this.spinLock = this.announcedLock
    this.readWriteLock = client.inbox && {
      read: new RowReadWritePort(client, 'r'),
      write: new RowReadWritePort(client, 'w'),
    }
    this.semaphore = new RowSemaphorePort(client)
    this.permitExpirableSemaphore = new RowPermitExpirablePort(client)
    this.countDownLatch = new RowLatchPort(client)
    this.values = new RowValuesPort(client)
    this.guardedValues = new RowGuardedPort(client)
    this.edges = new RowEdgesPort(client)
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
