/** A quorum of stores keeps the contract, as a single store does; what it is for is shown in test/quorum. */
import { describe } from 'vitest'
import { handOverCases } from '../../src/conformance/cases/hand-over.cases.js'
import { waitingCases } from '../../src/conformance/cases/waiting.cases.js'
import { contract } from '../contract/contract.js'
import { Fleet } from '../quorum/fleet.js'
import { duringAll } from '../setup/during.js'
import { quorumInMemory, quorumOf } from '../setup/places.js'
import { commonContract } from './kind-contract.js'

const SERVERS = 3

describe('quorum', () => {
  contract(quorumInMemory())
})

describe('quorum of servers', () => {
  const fleet = duringAll(() => Fleet.bring(SERVERS))

  const servers = Array.from({ length: SERVERS }, (_, index) => () => fleet.server(index))
  // A majority's answers are enough for a call, so that how many timers there are right after one depends on the third server.
  commonContract(quorumOf(servers), waitingCases, handOverCases)
})
