/** The quarantine on several servers: each counts it for its own vote. */
import { afterAll, beforeAll, describe } from 'vitest'
import { Fleet } from '../quorum/fleet.js'
import { quorumInMemory, quorumOf } from '../setup/places.js'
import { quarantineCases } from './quarantine.cases.js'
import { plainLock } from './subjects.js'

quarantineCases(quorumInMemory(), plainLock)

describe('servers', () => {
  let fleet: Fleet

  beforeAll(async () => {
    fleet = await Fleet.bring(3)
  })
  afterAll(() => fleet.stop())

  quarantineCases(quorumOf([0, 1, 2].map((index) => () => fleet.server(index))), plainLock)
})
