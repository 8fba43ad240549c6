/**
 * A lock that goes from call to call in memory, and whose key was gone before that was found out: sections that had ended by then
 * are told of, too.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { type Hold, type Holdfast, LockLostError } from '../../src/index.js'
import { type Place, placeOf } from '../setup/places.js'

/** Nothing but what the tests do themselves ends the run of hand-overs. */
const options = { handOverSliceMs: Number.POSITIVE_INFINITY }

const places: readonly Place[] = [
  // (Without servers what polls announces too, and then the loss is found out at once.)
  placeOf('memory', 'spin'),
  placeOf('standalone'),
  placeOf('standalone', 'spin'),
  placeOf('cluster'),
]

/** A hold, and as many calls of the same client that wait behind it, in their order. */
async function line(place: Place, holdfast: Holdfast, name: string, calls: number) {
  const lock = holdfast.lock(name)
  const holding = await lock.acquire()
  const waits: Promise<Hold>[] = []
  for (let index = 0; index < calls; index += 1) waits.push(lock.acquire())
  await place.eventually(() => holdfast.census.calls === calls && holdfast.metrics().waiting === calls)
  return { holding, waits }
}

/** Nobody is told: what polls announces nothing. */
async function loseKey(place: Place, name: string): Promise<void> {
  expect(await place.holdfast().spinLock(name).forceUnlock()).toBe(true)
}

describe.each(places)('H25: a lock that was lost unheard ($name, $kind)', (place) => {
  afterEach(() => place.tidy())

  test('each section since the store last knew of it is told as lost, the ended ones as over', async () => {
    const [holdfast, name] = [place.holdfast(options), place.lockName()]
    const { holding: first, waits } = await line(place, holdfast, name, 2)
    const lost = journalOf(holdfast, 'lost')
    await loseKey(place, name)
    await first.release()
    const second = await waits[0]
    await second?.release()
    const third = await waits[1]
    expect(lost).toEqual([])
    await expect(third?.release()).rejects.toBeInstanceOf(LockLostError)
    const about = { name, reason: 'not-in-store', cause: undefined }
    expect(lost).toEqual([
      { ...about, owner: first.owner, over: true },
      { ...about, owner: second?.owner, over: true },
      { ...about, owner: third?.owner, over: false },
    ])
    expect(first.signal.aborted || second?.signal.aborted).toBe(false)
  })

  test('what the store has confirmed since is not told of', async () => {
    const [holdfast, name] = [
      place.holdfast({ ...options, watchdogMs: place.lease(1_800) }),
      place.lockName(),
    ]
    const { holding: first, waits } = await line(place, holdfast, name, 2)
    const [lost, renewed] = [journalOf(holdfast, 'lost'), journalOf(holdfast, 'renewed')]
    await first.release()
    const second = await waits[0]
    const before = renewed.length
    // One that was sent before the hand-over may be answered after it: it says nothing of what was handed on since.
    await place.eventually(() => renewed.length > before + 1)
    await loseKey(place, name)
    await second?.release().catch(() => undefined)
    await (await waits[1])?.release().catch(() => undefined)
    await place.eventually(() => lost.some(({ over }) => !over))
    expect(lost.map(({ owner }) => owner)).not.toContain(first.owner)
  })
})
