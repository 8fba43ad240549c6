/** The cases of what is made of several locks, or of one and a value, where the suite is run case by case. */
import { computeOnceCases } from '../../src/conformance/cases/compute-once.cases.js'
import { computeOnceTroubleCases } from '../../src/conformance/cases/compute-once-trouble.cases.js'
import { multiLockCases } from '../../src/conformance/cases/multi-lock.cases.js'
import { multiLockHoldsCases } from '../../src/conformance/cases/multi-lock-holds.cases.js'
import { multiLockMembersCases } from '../../src/conformance/cases/multi-lock-members.cases.js'
import { stripedLockCases } from '../../src/conformance/cases/striped-lock.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  computeOnceCases(placeOf(name))
  computeOnceTroubleCases(placeOf(name))
  multiLockCases(placeOf(name))
  multiLockHoldsCases(placeOf(name))
  multiLockMembersCases(placeOf(name))
  stripedLockCases(placeOf(name))
}
