/** What every kind of lock with the API of `Lock` keeps of the contract: all but the hand-over in memory, and what shows one layout. */
import { afterEach, describe } from 'vitest'
import type { KindName } from '../setup/kinds.js'
import { type Place, placeNames, placeOf } from '../setup/places.js'
import { closingCases } from './closing.cases.js'
import { eventsCases } from './events.cases.js'
import { exclusionCases } from './exclusion.cases.js'
import { leasesCases } from './leases.cases.js'
import { leavingCases } from './leaving.cases.js'
import { lossCases } from './loss.cases.js'
import { outlivingCases } from './outliving.cases.js'
import { ownersCases } from './owners.cases.js'
import { refusalCases } from './refusal.cases.js'
import { validationCases } from './validation.cases.js'
import { watchdogCases } from './watchdog.cases.js'

type Cases = (place: Place) => void

export function kindContract(kind: KindName, ...more: readonly Cases[]): void {
  describe.each(placeNames)('contract: %s', (placeName) => {
    const place = placeOf(placeName, kind)
    afterEach(() => place.tidy())
    exclusionCases(place)
    ownersCases(place)
    outlivingCases(place)
    refusalCases(place)
    leasesCases(place)
    watchdogCases(place)
    lossCases(place)
    leavingCases(place)
    eventsCases(place)
    closingCases(place)
    validationCases(place)
    for (const cases of more) cases(place)
  })
}
