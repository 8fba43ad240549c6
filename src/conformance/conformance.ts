import { afterEach, describe } from 'vitest'
import type { VirtualClock } from '../base/time/virtual-clock.js'
import type { Store } from '../port/store.js'
import type { StoreKind, StoreTraits } from '../port/store-traits.js'
import { computeOnceCases } from './cases/compute-once.cases.js'
import { computeOnceTroubleCases } from './cases/compute-once-trouble.cases.js'
import { detachCases } from './cases/detach.cases.js'
import { disturbanceCases } from './cases/disturbance.cases.js'
import { fencesCases } from './cases/fences.cases.js'
import { habitCases } from './cases/habit.cases.js'
import { latchCases } from './cases/latch.cases.js'
import { leaderCases } from './cases/leader.cases.js'
import { leaderObserversCases } from './cases/leader-observers.cases.js'
import { lingeringCases } from './cases/lingering.cases.js'
import { multiLockCases } from './cases/multi-lock.cases.js'
import { multiLockHoldsCases } from './cases/multi-lock-holds.cases.js'
import { multiLockMembersCases } from './cases/multi-lock-members.cases.js'
import { notReentrantCases } from './cases/not-reentrant.cases.js'
import { orderCases } from './cases/order.cases.js'
import { permitIdsCases } from './cases/permit-ids.cases.js'
import { permitsCases } from './cases/permits.cases.js'
import { readWriteCases } from './cases/read-write.cases.js'
import { stripedLockCases } from './cases/striped-lock.cases.js'
import { traitsCases } from './cases/traits.cases.js'
import { waitingCases } from './cases/waiting.cases.js'
import { LEFT_OUT, whyNot } from './given.js'
import type { KindName } from './kinds.js'
import { commonCases, lockCases } from './lock-cases.js'
import { Place } from './place.js'

export interface ConformanceTerms {
  /** What the store is called in the names of the tests. */
  readonly name: string
  /**
   * Returns the store for one more client, which stands for a separate process. All these stores keep the same locks; they may be one
   * object. The suite calls it while tests run, so it can use what `beforeAll` has started.
   */
  readonly open: () => Store
  /**
   * The traits that the store itself states.
   * @default the same as Redis
   */
  readonly traits?: Partial<StoreTraits> | undefined
  /** The store's clock, if that is virtual: the suite then moves it. */
  readonly clock?: VirtualClock | undefined
}

type Cases = (place: Place) => void

interface Topic {
  readonly needs: StoreKind
  /** The kind of lock that stands for `lock` in its cases. */
  readonly kind?: KindName
  readonly cases: readonly Cases[]
}

const topics: Readonly<Record<string, Topic>> = {
  lock: { needs: 'lock', cases: [lockCases, disturbanceCases, detachCases] },
  'several locks': {
    needs: 'lock',
    cases: [multiLockCases, multiLockHoldsCases, multiLockMembersCases, stripedLockCases],
  },
  'fenced lock': {
    needs: 'fencedLock',
    kind: 'fenced',
    cases: [commonCases, waitingCases, lingeringCases, habitCases, notReentrantCases, fencesCases],
  },
  leader: { needs: 'fencedLock', cases: [leaderCases, leaderObserversCases] },
  'fair lock': {
    needs: 'fairLock',
    kind: 'fair',
    cases: [commonCases, waitingCases, lingeringCases, notReentrantCases, orderCases],
  },
  'spin lock': { needs: 'spinLock', kind: 'spin', cases: [commonCases] },
  'write lock': { needs: 'readWriteLock', kind: 'write', cases: [commonCases] },
  'read-write lock': { needs: 'readWriteLock', cases: [readWriteCases] },
  semaphore: { needs: 'semaphore', cases: [permitsCases('semaphore')] },
  'permit-expirable semaphore': {
    needs: 'permitExpirableSemaphore',
    cases: [permitsCases('permitExpirableSemaphore'), permitIdsCases],
  },
  'count-down latch': { needs: 'countDownLatch', cases: [latchCases] },
  computeOnce: { needs: 'computeOnce', cases: [computeOnceCases, computeOnceTroubleCases] },
}

/**
 * Tests a store against Holdfast's contract, with vitest: call it in a test file. A case that needs what the store's traits say it lacks
 * is shown as skipped, with the reason in its name; nothing is left out silently.
 */
export function conformance(terms: ConformanceTerms): void {
  describe(`conformance: ${terms.name}`, () => {
    traitsCases(terms)
    for (const [title, { needs, kind, cases }] of Object.entries(topics)) {
      const place = new Place({ ...terms, kind })
      const why = whyNot(place, needs)
      const body = (): void => {
        afterEach(() => place.tidy())
        for (const each of cases) each(place)
      }
      // Its cases are shown by name all the same.
      if (why !== undefined) describe.skip(title + LEFT_OUT + why, body)
      else if (terms.clock) describe(title, body)
      // Kinds know nothing of each other: while the cases of one wait for a lease, those of another run.
      else
        describe.concurrent('in real time', () => {
          describe.sequential(title, body)
        })
    }
  })
}
