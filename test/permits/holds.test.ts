/** Permits and latches as programs have them, on Redis: the suite of all stores. */
import { latchCases } from '../../src/conformance/cases/latch.cases.js'
import { permitIdsCases } from '../../src/conformance/cases/permit-ids.cases.js'
import { permitsCases } from '../../src/conformance/cases/permits.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['standalone', 'cluster'] as const) {
  const place = placeOf(name)
  permitsCases('semaphore')(place)
  permitsCases('permitExpirableSemaphore')(place)
  permitIdsCases(place)
  latchCases(place)
}
