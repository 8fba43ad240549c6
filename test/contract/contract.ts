/** The contract every store keeps: one suite of cases, run over each place by the test file of its name. */
import { afterEach, describe } from 'vitest'
import type { Place } from '../setup/places.js'
import { closingCases } from './closing.cases.js'
import { eventsCases } from './events.cases.js'
import { exclusionCases } from './exclusion.cases.js'
import { handOverCases } from './hand-over.cases.js'
import { handOverHeirsCases } from './hand-over-heirs.cases.js'
import { handOverTermsCases } from './hand-over-terms.cases.js'
import { handlesCases } from './handles.cases.js'
import { leasesCases } from './leases.cases.js'
import { leavingCases } from './leaving.cases.js'
import { lingeringCases } from './lingering.cases.js'
import { lossCases } from './loss.cases.js'
import { namesCases } from './names.cases.js'
import { outlivingCases } from './outliving.cases.js'
import { ownersCases } from './owners.cases.js'
import { questionsCases } from './questions.cases.js'
import { refusalCases } from './refusal.cases.js'
import { serversCases } from './servers.cases.js'
import { validationCases } from './validation.cases.js'
import { waitingCases } from './waiting.cases.js'
import { warningsCases } from './warnings.cases.js'
import { watchdogCases } from './watchdog.cases.js'

export function contract(place: Place): void {
  describe(`contract: ${place.name}`, () => {
    afterEach(() => place.tidy())
    exclusionCases(place)
    ownersCases(place)
    outlivingCases(place)
    refusalCases(place)
    leasesCases(place)
    watchdogCases(place)
    lossCases(place)
    leavingCases(place)
    waitingCases(place)
    handOverCases(place)
    handOverHeirsCases(place)
    handOverTermsCases(place)
    lingeringCases(place)
    handlesCases(place)
    questionsCases(place)
    eventsCases(place)
    warningsCases(place)
    closingCases(place)
    validationCases(place)
    namesCases(place)
    serversCases(place)
  })
}
