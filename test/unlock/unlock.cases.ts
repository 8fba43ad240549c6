/** Unlock by a non-owner in every shape: the documented error, and nothing changed in Redis. */
import { afterEach, describe } from 'vitest'
import { Forked } from '../redisson/forked.js'
import { type PlaceName, placeOf } from '../setup/places.js'
import { foreignCases } from './foreign.cases.js'
import { lateCases } from './late.cases.js'
import { siblingCases } from './sibling.cases.js'

export function unlockCases(name: PlaceName): void {
  const place = placeOf(name)
  describe(`unlock by a non-owner: ${name}`, () => {
    afterEach(async () => {
      await Forked.killAll()
      await place.tidy()
    })
    foreignCases(place)
    siblingCases(place)
    lateCases(place)
  })
}
