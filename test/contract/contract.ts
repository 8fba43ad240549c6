/** The contract every store keeps, run over each place by the test file of its name; and what else is shown where a server can be looked at. */
import { afterEach, describe } from 'vitest'
import { lockCases } from '../../src/conformance/lock-cases.js'
import type { Place } from '../setup/places.js'
import { serversCases } from './servers.cases.js'

export function contract(place: Place): void {
  describe(`contract: ${place.name}`, () => {
    afterEach(() => place.tidy())
    lockCases(place)
    serversCases(place)
  })
}
