import { mutants } from '../chaos/mutants/catalogue.js'
import type { Fault } from './fault.js'
import { ofCore } from './of-core.js'
import { ofStores } from './of-stores.js'

/** All broken versions of the library. */
export const faults: readonly Fault[] = [...mutants, ...ofCore, ...ofStores]
