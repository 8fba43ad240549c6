/** The fenced lock as an application sees it: the suite of all stores, in each place. */
import { afterEach, describe } from 'vitest'
import { fencesCases } from '../../src/conformance/cases/fences.cases.js'
import { placeNames, placeOf } from '../setup/places.js'

describe.each(placeNames)('fencedLock: %s', (name) => {
  const place = placeOf(name)
  afterEach(() => place.tidy())

  fencesCases(place)
})
