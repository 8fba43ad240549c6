/** What `holdfast.leader` keeps on every store, on real Redis servers; the other stores have it in their conformance. */
import { afterEach, describe } from 'vitest'
import { leaderCases } from '../../src/conformance/cases/leader.cases.js'
import { leaderObserversCases } from '../../src/conformance/cases/leader-observers.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['standalone', 'cluster'] as const) {
  const place = placeOf(name)
  describe(`an election on Redis: ${name}`, () => {
    afterEach(() => place.tidy())
    leaderCases(place)
    leaderObserversCases(place)
  })
}
