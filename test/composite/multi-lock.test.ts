import { multiLockCases } from '../../src/conformance/cases/multi-lock.cases.js'
import { multiLockHoldsCases } from '../../src/conformance/cases/multi-lock-holds.cases.js'
import { multiLockMembersCases } from '../../src/conformance/cases/multi-lock-members.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  multiLockCases(placeOf(name))
  multiLockHoldsCases(placeOf(name))
  multiLockMembersCases(placeOf(name))
}
