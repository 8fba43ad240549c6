import { closingCases } from './cases/closing.cases.js'
import { eventsCases } from './cases/events.cases.js'
import { exclusionCases } from './cases/exclusion.cases.js'
import { extendCases } from './cases/extend.cases.js'
import { habitCases } from './cases/habit.cases.js'
import { handOverCases } from './cases/hand-over.cases.js'
import { handOverHeirsCases } from './cases/hand-over-heirs.cases.js'
import { handOverTermsCases } from './cases/hand-over-terms.cases.js'
import { handlesCases } from './cases/handles.cases.js'
import { jobCases } from './cases/job.cases.js'
import { labelsCases } from './cases/labels.cases.js'
import { leasesCases } from './cases/leases.cases.js'
import { leavingCases } from './cases/leaving.cases.js'
import { lingeringCases } from './cases/lingering.cases.js'
import { lossCases } from './cases/loss.cases.js'
import { namesCases } from './cases/names.cases.js'
import { notReentrantCases } from './cases/not-reentrant.cases.js'
import { orderCases } from './cases/order.cases.js'
import { outlivingCases } from './cases/outliving.cases.js'
import { ownersCases } from './cases/owners.cases.js'
import { questionsCases } from './cases/questions.cases.js'
import { refusalCases } from './cases/refusal.cases.js'
import { validationCases } from './cases/validation.cases.js'
import { waitingCases } from './cases/waiting.cases.js'
import { warningsCases } from './cases/warnings.cases.js'
import { watchdogCases } from './cases/watchdog.cases.js'
import type { Place } from './place.js'

/** What every kind of lock with the API of `Lock` keeps. */
export function commonCases(place: Place): void {
  exclusionCases(place)
  ownersCases(place)
  outlivingCases(place)
  refusalCases(place)
  leasesCases(place)
  watchdogCases(place)
  extendCases(place)
  lossCases(place)
  leavingCases(place)
  eventsCases(place)
  closingCases(place)
  validationCases(place)
}

/** What the plain lock keeps. */
export function lockCases(place: Place): void {
  commonCases(place)
  waitingCases(place)
  orderCases(place)
  handOverCases(place)
  handOverHeirsCases(place)
  handOverTermsCases(place)
  lingeringCases(place)
  habitCases(place)
  notReentrantCases(place)
  labelsCases(place)
  handlesCases(place)
  questionsCases(place)
  warningsCases(place)
  namesCases(place)
  jobCases(place)
}
