import { placeOf } from '../setup/places.js'
import { onceCases } from './once.cases.js'
import { onceTroubleCases } from './once-trouble.cases.js'

for (const name of ['memory', 'memory-virtual-time', 'standalone', 'cluster'] as const) {
  onceCases(placeOf(name))
  onceTroubleCases(placeOf(name))
}
