import { expect, test } from 'vitest'
import { releaseChannelOf } from '../../src/stores/redis/channels/release-channel.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { hostileNames } from './hostile-names.js'
import { forAll } from './runs.js'

/** Redisson's rule, written down once more: the name in braces, unless it has braces of its own. */
function redissonChannel(name: string): string {
  return name.indexOf('{') >= 0 ? `redisson_lock__channel:${name}` : `redisson_lock__channel:{${name}}`
}

test('whatever the name: the release channel is the one Redisson uses', () =>
  forAll(hostileNames, 1_000, (name) => {
    expect(releaseChannelOf(name)).toBe(redissonChannel(name))
  }))

test('whatever the name: without a brace in it, lock and channel share a cluster slot', () => {
  const unbraced = hostileNames.filter((name) => !/[{}]/.test(name))
  forAll(unbraced, 1_000, (name) => {
    expect(slotOf(releaseChannelOf(name))).toBe(slotOf(name))
  })
})
