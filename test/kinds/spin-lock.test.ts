import { kindContract } from './kind-contract.js'

kindContract('spin')
