export type { LockRole } from '../../base/errors/deadlock-error.js'
export type { Edge, EdgesPort, HeldLock, SeenEdge } from '../../port/edges-port.js'
export type {
  CountDownLatchPort,
  FencedPort,
  GuardedPort,
  KeepRequest,
  KeptValue,
  PermitExpirableSemaphorePort,
  PermitsPort,
  ReadWritePorts,
  SemaphorePort,
  TenureState,
  ValuesPort,
} from '../../port/kind-ports.js'
export type { LeaseThread, LeaseThreadListener, ThreadLease } from '../../port/lease-thread.js'
export type {
  AcquireReply,
  AcquireRequest,
  BatchPort,
  BusyReply,
  Caller,
  GrantedReply,
  HandOverRequest,
  LockPort,
  LockSeen,
  LockState,
  News,
  OwnerState,
  Polls,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
export {
  type LeaseThreadSettings,
  type LockKeyspace,
  PORT_VERSION,
  type ServerIdentity,
  type Store,
  type StoreLoss,
  type StoreSession,
  type StoreSettings,
} from '../../port/store.js'
export { type StoreKind, type StoreTraits, storeKinds, traitsOf } from '../../port/store-traits.js'
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
