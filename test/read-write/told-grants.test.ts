/** What a client believes of the grants it is told of, and how the keys of a lock are made. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Owner } from '../../src/owner.js'
import { holdsKeyOf, keyOfHolds, readWriteKeysOf } from '../../src/redis/read-write-keys.js'
import { Places, type ToldGrant, toldGrants } from '../../src/redis/read-write-places.js'
import { slotOf } from '../../src/redis/slot.js'
import { hostileNames } from '../properties/hostile-names.js'
import { runsOr } from '../properties/runs.js'

const me: Owner = 'client:1'
const grantAt = (atUs: number): ToldGrant => ({
  member: `r:${me}`,
  owner: me,
  atUs,
  leaseMs: 5_000,
  fence: 7n,
})

describe('grants that were told', () => {
  test('count since the command was sent whose answer saw the owner in line last', () => {
    const places = new Places()
    places.asked('lock', me)
    places.inLine('lock', me, 100, 1_000)
    places.inLine('lock', me, 200, 2_000)
    places.told('lock', grantAt(2_001))
    expect(places.take('lock', me, 300)).toEqual({ since: 200, leaseMs: 5_000, fence: 7n })
    expect(places.take('lock', me, 300)).toBeUndefined()
    expect(places.in('lock')).toEqual([])
  })

  test('one that outlived its place is not believed: it was taken over, given back, and another holds by now', () => {
    const places = new Places()
    places.asked('lock', me)
    places.inLine('lock', me, 100, 1_000)
    places.left('lock', me)
    places.told('lock', grantAt(1_500))
    places.asked('lock', me)
    places.told('lock', grantAt(1_500))
    expect(places.take('lock', me, 160)).toBeUndefined()
    places.inLine('lock', me, 150, 3_000)
    expect(places.take('lock', me, 160)).toBeUndefined()
    places.told('lock', grantAt(3_000))
    expect(places.take('lock', me, 160)).toBeUndefined()
  })

  test('one that came before the answer which put the owner in line is believed with that answer', () => {
    const places = new Places()
    places.asked('lock', me)
    places.told('lock', grantAt(1_001))
    expect(places.take('lock', me, 105)).toBeUndefined()
    places.inLine('lock', me, 100, 1_000)
    expect(places.take('lock', me, 110)).toMatchObject({ since: 100 })
  })

  test('one with half its lease gone is confirmed by a command instead', () => {
    const places = new Places()
    places.asked('lock', me)
    places.inLine('lock', me, 0, 0)
    places.told('lock', grantAt(1))
    expect(places.take('lock', me, 2_500)).toBeUndefined()
  })

  test('a message may name several; what is no grant is passed over', () => {
    expect(toldGrants('5 100 r:client:1 7 w:client:2 8')).toEqual([
      { member: 'r:client:1', owner: me, atUs: 5, leaseMs: 100, fence: 7n },
      { member: 'w:client:2', owner: 'client:2', atUs: 5, leaseMs: 100, fence: 8n },
    ])
    for (const text of ['', '0', '5 100', '5 100 r:client:1', '5 100 r:client 7', '5 100 r:client:1 x'])
      expect(toldGrants(text)).toEqual([])
  })
})

describe('keys', () => {
  test('no two names share a key, each can be read back, and all keys and channels of one share a slot', () => {
    fc.assert(
      fc.property(hostileNames, hostileNames, (one, two) => {
        expect(keyOfHolds(holdsKeyOf(one))).toBe(one)
        if (one !== two) expect(holdsKeyOf(one)).not.toBe(holdsKeyOf(two))
        const keys = [...readWriteKeysOf(one), `${holdsKeyOf(one)}:client`]
        expect(new Set(keys.map(slotOf)).size).toBe(1)
      }),
      runsOr(400),
    )
  })

  test.each([
    ['invoice', 'holdfast_rw:{invoice}'],
    ['{invoice}', 'holdfast_rw:{{invoice}}'],
    ['{tag}:a:b', 'holdfast_rw:{tag}:a:b'],
    ['a{b', 'holdfast_rw:{a{b}'],
    ['}a', 'holdfast_rw:{{}a}'],
    ['{}a', 'holdfast_rw:{{{}a}'],
  ])('%s is kept under %s', (name, key) => {
    expect(holdsKeyOf(name)).toBe(key)
    expect(keyOfHolds(key)).toBe(name)
  })

  test('what is not a read-write lock’s is nobody’s', () => {
    for (const key of ['other:{a}', 'holdfast_rw_line:{a}', 'holdfast_rw:', 'holdfast_rw:bare'])
      expect(keyOfHolds(key)).toBeUndefined()
  })
})
