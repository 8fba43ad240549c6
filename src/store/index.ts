export type { LockRole } from '../errors/deadlock-error.js'
export type { Edge, EdgesPort, HeldLock, SeenEdge } from '../ports/edges-port.js'
export type { FencedPort, TenureState } from '../ports/fenced-port.js'
export type { GuardedPort } from '../ports/guarded-port.js'
export type {
  CountDownLatchPort,
  KeepRequest,
  KeptValue,
  PermitExpirableSemaphorePort,
  PermitsPort,
  ReadWritePorts,
  SemaphorePort,
  ValuesPort,
} from '../ports/kind-ports.js'
export type { LeaseThread, LeaseThreadListener, ThreadLease } from '../ports/lease-thread.js'
export type {
  AcquireReply,
  AcquireRequest,
  BatchPort,
  BusyReply,
  Caller,
  GrantedReply,
  HandOverRequest,
  LockPort,
  LockState,
  News,
  OwnerState,
  Polls,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../ports/lock-port.js'
export {
  type LeaseThreadSettings,
  type LockKeyspace,
  PORT_VERSION,
  type ServerIdentity,
  type Store,
  type StoreLoss,
  type StoreSession,
  type StoreSettings,
} from '../ports/store.js'
export { type StoreKind, type StoreTraits, storeKinds, traitsOf } from '../ports/store-traits.js'
export { CompareAndSet } from '../rows/compare-and-set.js'
export { matchesGlob } from '../rows/glob.js'
export type {
  Draft,
  Express,
  Inbox,
  InboxListener,
  Message,
  RowSession,
  Rows,
  Versioned,
  VersionedTable,
} from '../rows/rows.js'
export { RowStoreSession } from '../rows/session.js'
export type { Keyspace, Packed, Shape } from '../rows/shape.js'
export type { Ties } from '../rows/ties.js'
