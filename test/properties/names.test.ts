import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { releaseChannelOf } from '../../src/stores/redis/channels/release-channel.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import type { Place } from '../setup/places.js'
import { placeOf } from '../setup/places.js'
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

/** Two clients, one name: the second is refused, waits, is woken by the release, and finds the first one gone. */
async function excludesAndWakes(place: Place, name: string): Promise<void> {
  const [first, second] = [place.holdfast(), place.holdfast()]
  const hold = await first.lock(name).acquire()
  expect(await second.lock(name).tryAcquire()).toBeNull()
  const listed: string[] = []
  const escaped = name.replace(/[\\*?[\]]/g, '\\$&')
  for await (const lock of second.list(escaped)) listed.push(lock.name)
  expect(listed).toEqual([name])
  const waiting = new Promise((resolve) => second.once('waiting', resolve))
  // Long before the lease ends: only a wake-up lets it in.
  const next = second.lock(name).acquire({ waitMs: 15_000 })
  await waiting
  if (place.server) {
    const client = place.client()
    expect(await client.call('HLEN', name)).toBe(2)
    const subscribed = await place.eventually(
      async () => {
        const reply = await client.call('PUBSUB', 'NUMSUB', redissonChannel(name))
        return Array.isArray(reply) ? Number(reply[1]) : 0
      },
      (count) => count === 1,
    )
    expect(subscribed).toBe(1)
  }
  await hold.release()
  const granted = await next
  expect(granted.name).toBe(name)
  expect(await first.lock(name).holdCount(granted.owner)).toBe(1)
  await granted.release()
  expect(await first.lock(name).isLocked()).toBe(false)
  await place.tidy()
}

const memory = placeOf('memory')
test('whatever the name: exclusion and wake-up, in memory', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(hostileNames, (name) => excludesAndWakes(memory, name)),
    runsOr(200),
  )
})

test('whatever the name: exclusion, wake-up, key and channel, on a server', { timeout: 60_000 }, async () => {
  const standalone = placeOf('standalone')
  // A run that failed midway leaves its clients open; the names are its own.
  let runs = 0
  await fc.assert(
    fc.asyncProperty(hostileNames, (name) => {
      runs += 1
      return excludesAndWakes(standalone, `${process.pid}:${runs}:${name}`)
    }),
    runsOr(40),
  )
})

test('whatever two names: they are two locks', async () => {
  await fc.assert(
    fc.asyncProperty(hostileNames, hostileNames, async (one, other) => {
      fc.pre(one !== other)
      const holdfast = memory.holdfast()
      const holds = await Promise.all([holdfast.lock(one).tryAcquire(), holdfast.lock(other).tryAcquire()])
      expect(holds.every((hold) => hold !== null)).toBe(true)
      for (const hold of holds) await hold?.release()
      await memory.tidy()
    }),
    runsOr(100),
  )
})

afterAll(() => memory.tidy())
