import fc from 'fast-check'
import { expect, test } from 'vitest'
import { releaseChannelOf } from '../../src/stores/redis/channels/release-channel.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { hostileNames } from './hostile-names.js'
import { runsOr } from './runs.js'

/** Redisson's rule, written down once more: the name in braces, unless it has braces of its own. */
function redissonChannel(name: string): string {
  return name.indexOf('{') >= 0 ? `redisson_lock__channel:${name}` : `redisson_lock__channel:{${name}}`
}

test('whatever the name: the release channel is the one Redisson uses', () => {
  fc.assert(
    fc.property(hostileNames, (name) => {
      expect(releaseChannelOf(name)).toBe(redissonChannel(name))
    }),
    runsOr(1_000),
  )
})

test('whatever the name: without a brace in it, lock and channel share a cluster slot', () => {
  fc.assert(
    fc.property(
      hostileNames.filter((name) => !/[{}]/.test(name)),
      (name) => {
        expect(slotOf(releaseChannelOf(name))).toBe(slotOf(name))
      },
    ),
    runsOr(1_000),
  )
})
