/** The quarantine on several servers: each counts it for its own vote. */
import { describe } from 'vitest'
import { Fleet } from '../quorum/fleet.js'
import { duringAll } from '../setup/during.js'
import { quorumInMemory, quorumOf } from '../setup/places.js'
import { quarantineCases } from './quarantine.cases.js'
import { plainLock } from './subjects.js'

quarantineCases(quorumInMemory(), plainLock)

describe('servers', () => {
  const fleet = duringAll(() => Fleet.bring(3))

  quarantineCases(quorumOf([0, 1, 2].map((index) => () => fleet.server(index))), plainLock)
})
