import { kindContract } from './kind-contract.js'
import { waitingCases } from './waiting.cases.js'

kindContract('fair', waitingCases)
