import { habitCases } from '../../src/conformance/cases/habit.cases.js'
import { lingeringCases } from '../../src/conformance/cases/lingering.cases.js'
import { notReentrantCases } from '../../src/conformance/cases/not-reentrant.cases.js'
import { waitingCases } from '../../src/conformance/cases/waiting.cases.js'
import { kindContract } from './kind-contract.js'

kindContract('fenced', lingeringCases, habitCases, notReentrantCases, waitingCases)
