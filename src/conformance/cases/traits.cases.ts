import { describe, expect, test } from 'vitest'
import { type Holdfast, UnsupportedKindError } from '../../index.js'
import { type StoreKind, storeKinds, traitsOf } from '../../port/store-traits.js'
import { rejectionOf } from '../outcome.js'
import { Place, type PlaceTerms } from '../place.js'

/** How a client asks for each kind. */
const asks: Readonly<Record<StoreKind, (holdfast: Holdfast, name: string) => unknown>> = {
  lock: (holdfast, name) => holdfast.lock(name),
  fencedLock: (holdfast, name) => holdfast.fencedLock(name),
  fairLock: (holdfast, name) => holdfast.fairLock(name),
  spinLock: (holdfast, name) => holdfast.spinLock(name),
  readWriteLock: (holdfast, name) => holdfast.readWriteLock(name),
  semaphore: (holdfast, name) => holdfast.semaphore(name),
  permitExpirableSemaphore: (holdfast, name) => holdfast.permitExpirableSemaphore(name),
  countDownLatch: (holdfast, name) => holdfast.countDownLatch(name),
  computeOnce: (holdfast, name) => holdfast.computeOnce(name, () => 1, { ttlMs: 1_000 }),
  guardedValue: (holdfast, name) => holdfast.guardedValue(name),
}

/** What a store says of itself. */
export function traitsCases(terms: PlaceTerms): void {
  describe('traits', () => {
    test('are those that the store states', () => {
      const store = terms.open()
      if ('open' in store) expect(traitsOf(store.traits)).toEqual(traitsOf(terms.traits))
    })

    for (const kind of storeKinds) {
      const kept = traitsOf(terms.traits).kinds.includes(kind)
      test(`${kind}: ${kept ? 'is kept' : 'asking for one is an error at once that says what there is'}`, async () => {
        const place = new Place(terms)
        const asked = async (): Promise<unknown> => await asks[kind](place.holdfast(), place.lockName())
        if (kept) await asked()
        else expect(await rejectionOf(asked())).toBeInstanceOf(UnsupportedKindError)
        await place.tidy()
      })
    }
  })
}
