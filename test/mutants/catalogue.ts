import { mutants } from '../chaos/mutants/catalogue.js'
import type { Fault } from './fault.js'
import { furtherFaults } from './further.js'

/** All broken versions of the library. */
export const faults: readonly Fault[] = [...mutants, ...furtherFaults]
