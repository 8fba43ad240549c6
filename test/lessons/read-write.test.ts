/** What others got wrong about the leases of readers and writers: each hold's is its own. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { inTime } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from '../properties/runs.js'
import { sidesOf } from '../redisson/read-write-sides.js'
import { type PlaceName, placeOf } from '../setup/places.js'

const places: readonly PlaceName[] = ['memory-virtual-time', 'standalone']

describe.each(places)('read-write lock, %s', (placeName) => {
  const place = placeOf(placeName)
  const watchdogMs = 900

  afterEach(() => place.tidy())

  test('redisson#4217: after the write is given back, the read that goes on is renewed as before', async () => {
    const holdfast = place.holdfast({ watchdogMs })
    const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
    let renewals = 0
    holdfast.on('renewed', () => {
      renewals += 1
    })
    await inTime(
      place,
      holdfast.run(async () => {
        await write.lock()
        await read.lock()
        await write.unlock()
        renewals = 0
        await place.eventually(() => renewals >= 6)
        expect(await read.holdCount()).toBe(1)
        expect(await write.isLocked()).toBe(false)
        await read.unlock()
      }),
    )
    expect(await read.isLocked()).toBe(false)
  })
})

describe('the arithmetic of readers’ leases', () => {
  /** How much later than a holder's lease ends it is looked for. */
  const lateMs = 2
  /** How much later than a nearer end the head of the line may look without being told of it. */
  const slackMs = 50
  const reader = fc.record({
    leaseMs: fc.integer({ min: 10, max: 3_000 }),
    releasedAfterMs: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined }),
  })

  test('redisson#1458, #2144: a writer enters when the last reader’s own lease ends or is given back, and not before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 6 }), async (readers) => {
        const clock = new VirtualClock()
        const store = new MemoryStore(clock)
        const holdfasts = readers.map(() => new Holdfast(store))
        const ends = await Promise.all(
          readers.map(async ({ leaseMs, releasedAfterMs = leaseMs }, index) => {
            const hold = await holdfasts[index]?.readWriteLock('lock').readLock().acquire({ leaseMs })
            // The holder's own reckoning is up a little before: from then on there is nothing to give back.
            const givesBack = releasedAfterMs < leaseMs * 0.99 - 2
            if (givesBack) clock.startTimer(() => void hold?.release(), releasedAfterMs)
            return { givesBack, at: givesBack ? releasedAfterMs : leaseMs }
          }),
        )
        const last = ends.reduce((latest, end) => (end.at > latest.at ? end : latest))
        const writer = new Holdfast(store)
        let enteredAt = Number.NaN
        const wait = writer
          .readWriteLock('lock')
          .writeLock()
          .withLock(() => {
            enteredAt = clock.now()
          })
        await clock.advance(6_000)
        await wait
        expect(enteredAt).toBeGreaterThanOrEqual(last.at)
        // Who went before its time may have had a longer lease than the last: then that is what the writer waited for.
        const misled = !last.givesBack && ends.some(({ givesBack }) => givesBack)
        expect(enteredAt).toBeLessThanOrEqual(last.at + lateMs + (misled ? slackMs : 0))
        await Promise.all([...holdfasts, writer].map((holdfast) => holdfast.close()))
      }),
      runsOr(150),
    )
  })
})
