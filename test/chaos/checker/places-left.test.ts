import { describe, expect, test } from 'vitest'
import { placesLeft } from './places-left.js'
import { call, fault, historyOf } from './told.js'

const LOOKS_MS = 9_000
const lives = { l: [[0, call(1, { owner: 'lives:1' })]] } as const
const { workers } = historyOf(lives)
const withKilled = historyOf({ ...lives, k: [[0, call(1)]] }, { killed: { k: 10 } }).workers

describe('what may be left of a line', () => {
  test('nothing where everybody could leave', () => {
    expect(placesLeft(workers, [fault(0, 1)], {}, LOOKS_MS).mayStay(['lives'], 1_000)).toBe(false)
    expect(placesLeft(workers, [], {}, LOOKS_MS).mayStay(['ours'], 1_000)).toBe(false)
  })

  test('the places of a process that was killed, for as long as it might have come back', () => {
    const left = placesLeft(withKilled, [], {}, LOOKS_MS)
    expect(left.mayStay(['dead'], 19_000)).toBe(true)
    expect(left.mayStay(['dead'], 19_001)).toBe(false)
    expect(left.mayStay(['dead'], -1)).toBe(false)
    expect(left.mayStay(['dead', 'lives'], 1_000)).toBe(false)
  })

  test('places that stand again, and turns where connections broke', () => {
    expect(placesLeft(workers, [], { strays: true }, LOOKS_MS).mayStay(['lives'], 1_000)).toBe(true)
    const revives = [fault(0, 1, { revives: true })]
    expect(placesLeft(workers, revives, {}, LOOKS_MS).mayStay(['lives'], 1_000)).toBe(true)
    const cut = placesLeft(workers, [fault(0, 1, { cutsOff: true })], {}, LOOKS_MS)
    expect(cut.mayStay(['ours'], 60_000)).toBe(true)
    expect(cut.mayStay(['ours', 'lives'], 1_000)).toBe(false)
  })

  test('what is known of the place let in last', () => {
    expect(placesLeft(workers, [], {}, LOOKS_MS).mayStay(['last', 'unclaimed'], 3_000)).toBe(true)
  })
})
