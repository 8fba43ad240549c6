/** What processes are told of their places in line. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { modeOf, ownerOf, type Place } from '../../src/stores/line/place.js'
import { proofOf } from '../../src/stores/line/proof.js'
import { keyIn, toldIn } from '../../src/stores/redis/channels/told.js'
import { hostileNames } from '../properties/hostile-names.js'
import { runsOr } from '../properties/runs.js'

const places: Place[] = ['x:client:1', 'r:client:2', 'f86400000:client:3']

describe('what a process is told', () => {
  test('names the lock, whatever its key looks like: one owner may stand in several lines', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostileNames, fc.constantFrom('a b', 'w:client:9 7 b', ' ', '7 w:client:1 7')),
        fc.subarray(places, { minLength: 1 }),
        (key, granted) => {
          const words = granted.map((place) => `${place} 7`).join(' ')
          const proven = `1700000000000000 5000 ${words} ${key}`
          const message = `${granted.length} ${proofOf('sha1', 'word', proven)} ${proven}`
          for (const text of [message, `0 250 x:client:1 ${key}`, `asked ${key}`])
            expect(keyIn(text)).toBe(key)
          const grants = granted.map((place) => ({ place, serverUs: 1.7e15, leaseMs: 5_000, fence: 7n }))
          expect(toldIn(message, 'word')).toEqual({ key, grants, proven: true })
          for (const word of ['words', '', undefined])
            expect(toldIn(message, word)).toEqual({ key, grants, proven: false })
          for (const place of granted)
            expect(toldIn(`0 250 ${place} ${key}`)).toEqual({
              key,
              grants: [],
              proven: false,
              look: { place, inMs: 250 },
            })
        },
      ),
      runsOr(300),
    )
  })

  test('anything else is passed over', () => {
    for (const text of [
      '',
      '0',
      '0 x x:client:1 a',
      '0 5 client:1 a',
      '1 - 5 100 x:client:1 7',
      '1 - x 100 x:client:1 7 a',
      '1 - 5 0 x:client:1 7 a',
      '-1 - 5 100 a',
      'x:client:1 5 100 a',
    ])
      expect(toldIn(text)).toBeUndefined()
    expect(toldIn('1 - 5 100 nobody 7 a')).toEqual({ key: 'a', grants: [], proven: false })
  })

  test('a place is a mode and an owner', () => {
    expect(places.map(modeOf)).toEqual(['x', 'r', 'f86400000'])
    expect(places.map(ownerOf)).toEqual(['client:1', 'client:2', 'client:3'])
  })
})
