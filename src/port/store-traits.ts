/** The kinds that a store may keep, by their names in `Holdfast`. Multi-locks and striped locks consist of locks. */
export const storeKinds = [
  'lock',
  'fencedLock',
  'fairLock',
  'spinLock',
  'readWriteLock',
  'semaphore',
  'permitExpirableSemaphore',
  'countDownLatch',
  'computeOnce',
  'guardedValue',
] as const
export type StoreKind = (typeof storeKinds)[number]

/** What a store can do, for people who choose one and for the suite that tests it. */
export interface StoreTraits {
  /** The shortest lease that it keeps, in milliseconds. */
  readonly leastLeaseMs: number
  /** Whether a release wakes those who wait. Otherwise they poll. */
  readonly push: boolean
  /** Whether the processes that wait for a lock get it in the order in which they came. A fair lock does that for each call. */
  readonly fifo: boolean
  /** Whether other clients see how many holds an owner has; otherwise one, whatever they are. */
  readonly countsVisible: boolean
  /** Whether it knows how many clients wait; of a spin lock no store does. */
  readonly countsWaiters: boolean
  /** Whether it can list held locks. */
  readonly lists: boolean
  /** Whether other clients learn who holds a lock. */
  readonly namesHolder: boolean
  /** Whether other clients learn since when somebody holds a lock. */
  readonly tellsSince: boolean
  /** Whether a lock may stay with its process after a release (`lingerMs`). */
  readonly lingers: boolean
  /** Whether a fenced lock may, too. */
  readonly lingersFenced: boolean
  /** Whether a hold can be handed to another client (`hold.detach`). */
  readonly detaches: boolean
  /** Whether the server itself ends a lease at its time. Otherwise, once the client has gone, the lock lasts as long as its session. */
  readonly endsLeases: boolean
  readonly kinds: readonly StoreKind[]
}

/** The traits of Redis, which a store has unless it states others. */
const FULL: StoreTraits = {
  leastLeaseMs: 1,
  push: true,
  fifo: true,
  countsVisible: true,
  countsWaiters: true,
  lists: true,
  namesHolder: true,
  tellsSince: true,
  lingers: true,
  lingersFenced: true,
  detaches: true,
  endsLeases: true,
  kinds: storeKinds,
}

/** All traits of a store that states some of them. */
export function traitsOf(stated: Partial<StoreTraits> = {}): StoreTraits {
  return { ...FULL, ...stated }
}
