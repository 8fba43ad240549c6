/** The contract every store keeps: one suite of cases, run over each place by the test file of its name. */
import { afterEach, describe } from 'vitest'
import type { Place } from '../setup/places.js'
import { exclusionCases } from './exclusion.cases.js'

export function contract(place: Place): void {
  describe(`contract: ${place.name}`, () => {
    afterEach(() => place.tidy())
    exclusionCases(place)
  })
}
