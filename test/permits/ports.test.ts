import { afterEach, describe, expect, test } from 'vitest'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'
import { latchCases } from './latch.cases.js'
import { permitIdsCases } from './permit-ids.cases.js'
import { permitsCases } from './permits.cases.js'
import { Acquisition, fresh, Ports } from './requests.js'

const places = [new MemoryPlace(Ports), RedisPlace.standalone(Ports), RedisPlace.cluster(Ports)]

describe.each(places)('ports: $name', (place) => {
  afterEach(() => place.close())
  permitsCases(place, 'semaphore', ({ semaphore }) => semaphore)
  permitsCases(place, 'permit-expirable semaphore', ({ permits }) => permits)
  permitIdsCases(place)
  latchCases(place)

  test('semaphore: what is drained is drained once, and a debt is settled by it', async () => {
    const [{ semaphore }, name, request] = [place.client(), lockName(), fresh()]
    expect(await semaphore.drainPermits(name, fresh())).toBe(0)
    await semaphore.trySetPermits(name, 10, fresh())
    await new Acquisition(semaphore, name, 3).granted()
    expect(await semaphore.drainPermits(name, request)).toBe(7)
    await semaphore.addPermits(name, 2, fresh())
    expect(await semaphore.drainPermits(name, request)).toBe(7)
    expect(await semaphore.availablePermits(name)).toBe(2)
    await semaphore.addPermits(name, -5, fresh())
    expect(await semaphore.drainPermits(name, fresh())).toBe(-3)
    expect(await semaphore.availablePermits(name)).toBe(0)
  })
})
