/** How the keys of a read-write lock are made. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { holdsKeyOf, keyOfHolds, readWriteKeysOf } from '../../src/stores/redis/keys/read-write-keys.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { hostileNames } from '../properties/hostile-names.js'
import { runsOr } from '../properties/runs.js'

describe('keys', () => {
  test('no two names share a key, each can be read back, and all keys and channels of one share a slot in a cluster', () => {
    fc.assert(
      fc.property(hostileNames, hostileNames, (one, two) => {
        expect(keyOfHolds(holdsKeyOf(one))).toBe(one)
        if (one !== two) expect(holdsKeyOf(one)).not.toBe(holdsKeyOf(two))
        const keys = [...readWriteKeysOf(one), `${processChannelsOf(holdsKeyOf(one), true)}client`]
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
    for (const key of [
      'other:{a}',
      'holdfast_rw_line:{a}',
      'holdfast_rw_processes:{a}',
      'holdfast_rw:',
      'holdfast_rw:bare',
    ])
      expect(keyOfHolds(key)).toBeUndefined()
  })
})
