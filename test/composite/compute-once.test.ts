import { placeOf } from '../setup/places.js'
import { computeOnceCases } from './compute-once.cases.js'
import { computeOnceTroubleCases } from './compute-once-trouble.cases.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  computeOnceCases(placeOf(name))
  computeOnceTroubleCases(placeOf(name))
}
