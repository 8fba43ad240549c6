import { expect, test } from 'vitest'
import { LapsedOwners } from '../../src/core/tenure/lapsed-owners.js'
import { VirtualClock } from '../../src/memory/index.js'

test('an owner has lapsed until the store has let go for certain', async () => {
  const clock = new VirtualClock()
  const lapsed = new LapsedOwners(clock)
  expect(lapsed.has('client:1')).toBe(false)
  lapsed.add('client:1', clock.now() + 100)
  await clock.advance(99)
  expect([lapsed.has('client:1'), lapsed.has('client:2')]).toEqual([true, false])
  await clock.advance(1)
  expect(lapsed.has('client:1')).toBe(false)
})

test('one that lapses again counts from the later time, and others are not forgotten with it', async () => {
  const clock = new VirtualClock()
  const lapsed = new LapsedOwners(clock)
  lapsed.add('client:1', clock.now() + 100)
  lapsed.add('client:2', clock.now() + 50)
  await clock.advance(60)
  lapsed.add('client:1', clock.now() + 100)
  await clock.advance(60)
  expect([lapsed.has('client:1'), lapsed.has('client:2')]).toEqual([true, false])
  lapsed.add('client:3', clock.now() + 100)
  expect([lapsed.has('client:1'), lapsed.has('client:3')]).toEqual([true, true])
})
