import { placeOf } from '../setup/places.js'
import { quarantineCases } from './quarantine.cases.js'
import { subjects } from './subjects.js'

for (const subject of subjects) quarantineCases(placeOf('memory-virtual-time'), subject)
