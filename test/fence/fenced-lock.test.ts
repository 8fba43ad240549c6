/** The fenced lock as an application sees it. */
import { afterEach, describe, expect, test } from 'vitest'
import { fencesCases } from '../../src/conformance/cases/fences.cases.js'
import { placeNames, placeOf } from '../setup/places.js'

describe.each(placeNames)('fencedLock: %s', (name) => {
  const place = placeOf(name)
  afterEach(() => place.tidy())

  fencesCases(place)

  test('it is the plain lock of that name, which has no tokens', async () => {
    const [one, other] = [place.holdfast(), place.holdfast()]
    const lockName = place.lockName()
    const plain = await one.lock(lockName).acquire()
    expect(plain.fence).toBeUndefined()
    expect(await other.fencedLock(lockName).tryAcquire()).toBeNull()
    const waiting = other.fencedLock(lockName).acquire()
    await plain.release()
    const fenced = await waiting
    expect(fenced.fence).toBeGreaterThan(0n)
    expect(await one.lock(lockName).tryAcquire()).toBeNull()
    await fenced.release()
  })
})
