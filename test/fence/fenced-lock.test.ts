/** The fenced lock as an application sees it. */
import { afterEach, describe, expect, test } from 'vitest'
import { placeNames, placeOf } from '../setup/places.js'

describe.each(placeNames)('fencedLock: %s', (name) => {
  const place = placeOf(name)
  afterEach(() => place.tidy())

  test('tokens grow from section to section, handed over in the process or not', async () => {
    const lockName = place.lockName()
    const clients = [
      place.holdfast(),
      place.holdfast({ maxHandOvers: 3 }),
      place.holdfast({ maxHandOvers: 0 }),
    ]
    const tokens: Array<bigint | undefined> = []
    const sections = Array.from({ length: 30 }, async (_, index) => {
      const holdfast = clients[index % clients.length]
      // Explicit leases and the watchdog's in turns.
      const options = index % 4 === 0 ? { leaseMs: 20_000 } : {}
      await holdfast?.fencedLock(lockName).withLock(options, async (hold) => {
        tokens.push(hold.fence)
        hold.assertHeld()
      })
    })
    await place.eventually(() => tokens.length === sections.length)
    await Promise.all(sections)
    const handOvers = clients.map((each) => each.metrics().handOvers)
    expect(handOvers.map(({ inMemory }) => inMemory)).toEqual([0, 0, 0])
    expect(Math.max(...handOvers.map(({ byCommand }) => byCommand))).toBeGreaterThan(0)
    for (const [index, token] of tokens.entries())
      expect(token, `section ${index}`).toBeGreaterThan(tokens[index - 1] ?? 0n)
  })

  test('nested sections have the token of their tenure', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.fencedLock(place.lockName())
    await lock.withLock(async (outer) => {
      expect(outer.fence).toBe(1n)
      await lock.withLock(async (inner) => {
        expect(inner.fence).toBe(1n)
        await lock.withLock({ leaseMs: 20_000 }, async (innermost) => expect(innermost.fence).toBe(1n))
      })
    })
    await using next = await lock.acquire()
    expect(next.fence).toBe(2n)
  })

  test('it is the plain lock of that name, which has no tokens', async () => {
    const [one, other] = [place.holdfast(), place.holdfast()]
    const lockName = place.lockName()
    const plain = await one.lock(lockName).acquire()
    expect(plain.fence).toBeUndefined()
    expect(await other.fencedLock(lockName).tryAcquire()).toBeNull()
    const waiting = other.fencedLock(lockName).acquire()
    await plain.release()
    const fenced = await waiting
    expect(fenced.fence).toBe(1n)
    expect(await one.lock(lockName).tryAcquire()).toBeNull()
    await fenced.release()
  })

  test('two siblings take turns under a token each', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.fencedLock(place.lockName())
    const tokens = holdfast.run(() =>
      Promise.all([lock.withLock(async ({ fence }) => fence), lock.withLock(async ({ fence }) => fence)]),
    )
    expect(new Set(await tokens)).toEqual(new Set([1n, 2n]))
  })

  test('with a retention tokens are of the clock and grow', async () => {
    const lock = place.holdfast({ fenceRetentionMs: 60_000 }).fencedLock(place.lockName())
    const tokens: Array<bigint | undefined> = []
    for (let tenure = 0; tenure < 3; tenure += 1) await lock.withLock(async ({ fence }) => tokens.push(fence))
    if (place.server) expect(tokens[0]).toBeGreaterThan(1_700_000_000_000_000n)
    expect(tokens[1]).toBeGreaterThan(tokens[0] ?? 0n)
    expect(tokens[2]).toBeGreaterThan(tokens[1] ?? 0n)
  })
})
