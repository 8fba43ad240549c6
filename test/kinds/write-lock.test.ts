import { waitingCases } from '../../src/conformance/cases/waiting.cases.js'
import { kindContract } from './kind-contract.js'

kindContract('write', waitingCases)
