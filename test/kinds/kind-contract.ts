/** What every kind of lock with the API of `Lock` keeps of the contract: all but the hand-over in memory, and what shows one layout. */
import { afterEach, describe } from 'vitest'
import { closingCases } from '../contract/closing.cases.js'
import { eventsCases } from '../contract/events.cases.js'
import { exclusionCases } from '../contract/exclusion.cases.js'
import { leasesCases } from '../contract/leases.cases.js'
import { leavingCases } from '../contract/leaving.cases.js'
import { lossCases } from '../contract/loss.cases.js'
import { outlivingCases } from '../contract/outliving.cases.js'
import { ownersCases } from '../contract/owners.cases.js'
import { refusalCases } from '../contract/refusal.cases.js'
import { validationCases } from '../contract/validation.cases.js'
import { watchdogCases } from '../contract/watchdog.cases.js'
import type { KindName } from '../setup/kinds.js'
import { type Place, placeNames, placeOf } from '../setup/places.js'

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
