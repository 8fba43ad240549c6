import { waitingCases } from '../contract/waiting.cases.js'
import { kindContract } from './kind-contract.js'

kindContract('fenced', waitingCases)
