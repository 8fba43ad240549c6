import { computeOnceCases } from '../../src/conformance/cases/compute-once.cases.js'
import { computeOnceTroubleCases } from '../../src/conformance/cases/compute-once-trouble.cases.js'
import { placeOf } from '../setup/places.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  computeOnceCases(placeOf(name))
  computeOnceTroubleCases(placeOf(name))
}
