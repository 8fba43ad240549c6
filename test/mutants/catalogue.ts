import { mutants } from '../chaos/mutants/catalogue.js'
import { type Fault, faultsIn } from './fault.js'
import { ofCore } from './of-core.js'
import { ofStores } from './of-stores.js'

export const faults: readonly Fault[] = [...mutants, ...[ofCore, ofStores].flatMap(faultsIn)]
