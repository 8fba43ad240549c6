/** What every kind of lock with the API of `Lock` keeps of the contract: all but the hand-over in memory, and what shows one layout. */
import { afterEach, describe } from 'vitest'
import { leasesCases } from '../../src/conformance/cases/leases.cases.js'
import type { KindName } from '../../src/conformance/kinds.js'
import { commonCases } from '../../src/conformance/lock-cases.js'
import { type Place, placeNames, placeOf } from '../setup/places.js'

type Cases = (place: Place) => void

/** In every place. The memory's is one store under two clocks: by the real one only what virtual time leaves out is run. */
export function kindContract(kind: KindName, ...more: readonly Cases[]): void {
  for (const name of placeNames) {
    const place = placeOf(name, kind)
    if (name === 'memory') contractOf(place, leasesCases)
    else commonContract(place, ...more)
  }
}

/** In one place. */
export function commonContract(place: Place, ...more: readonly Cases[]): void {
  contractOf(place, commonCases, ...more)
}

function contractOf(place: Place, ...topics: readonly Cases[]): void {
  // Places know nothing of each other: while the tests of one wait for a lease, those of another run. Where time is virtual no test
  // waits, and other tests would.
  const beside = place.virtual ? describe : describe.concurrent
  beside('contract', () => {
    describe.sequential(place.name, () => {
      afterEach(() => place.tidy())
      for (const cases of topics) cases(place)
    })
  })
}
