import { placeOf } from '../setup/places.js'
import { multiLockCases } from './multi-lock.cases.js'
import { multiLockHoldsCases } from './multi-lock-holds.cases.js'
import { multiLockMembersCases } from './multi-lock-members.cases.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  multiLockCases(placeOf(name))
  multiLockHoldsCases(placeOf(name))
  multiLockMembersCases(placeOf(name))
}
