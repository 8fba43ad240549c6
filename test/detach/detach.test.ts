/** Holds that go to another process, on real Redis servers; the other stores have it in their conformance. */
import { afterEach, describe } from 'vitest'
import { detachCases } from '../../src/conformance/cases/detach.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['standalone', 'cluster'] as const) {
  const place = placeOf(name)
  describe(`detached holds on Redis: ${name}`, () => {
    afterEach(() => place.tidy())
    detachCases(place)
  })
}
