import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { inTime } from '../../src/conformance/outcome.js'
import { sidesOf } from '../redisson/read-write-sides.js'
import { type PlaceName, placeOf } from '../setup/places.js'

const places: readonly PlaceName[] = ['memory-virtual-time', 'standalone']

describe.each(places)('read-write lock, %s', (placeName) => {
  const place = placeOf(placeName)

  afterEach(() => place.tidy())

  test('redisson#4217: after the write is given back, the read that goes on is renewed as before', async () => {
    const holdfast = place.holdfast({ watchdogMs: 1_500 })
    const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
    const renewals = journalOf(holdfast, 'renewed')
    await inTime(
      place,
      holdfast.run(async () => {
        await write.lock()
        await read.lock()
        await write.unlock()
        renewals.length = 0
        await place.eventually(() => renewals.length >= 6)
        expect(await read.holdCount()).toBe(1)
        expect(await write.isLocked()).toBe(false)
        await read.unlock()
      }),
    )
    expect(await read.isLocked()).toBe(false)
  })
})
